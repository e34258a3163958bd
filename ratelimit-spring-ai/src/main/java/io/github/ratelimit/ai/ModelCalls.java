package io.github.ratelimit.ai;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.ratelimit.RateLimitExceededException;
import io.github.ratelimit.RateLimitOutcome;
import io.github.ratelimit.expression.PolicyBinding;
import io.github.ratelimit.request.Acquisition;
import io.github.ratelimit.request.AcquisitionEntry;
import io.github.ratelimit.request.CallOutcome;
import io.github.ratelimit.request.Charge;
import io.github.ratelimit.request.CurrentRequests;
import io.github.ratelimit.request.LimitedRequest;
import io.github.ratelimit.request.PermitRequest;
import io.github.ratelimit.request.ReactivePermits;
import io.github.ratelimit.request.ReactivePermits.ReactiveRequest;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.aop.ProxyMethodInvocation;

/**
 * Limits calls of models: reserves what a call may use at most, and settles what it has
 * used.
 */
final class ModelCalls {

	private static final Log logger = LogFactory.getLog(ModelCalls.class);

	private final ModelPolicies policies;

	private final TokenEstimates estimates;

	private final CurrentRequests current;

	/* The policies that were said to have too little for a call. */
	private final Set<String> tooSmall = ConcurrentHashMap.newKeySet();

	/**
	 * Creates an instance.
	 * @param policies what limits a call
	 * @param estimates counts tokens before a model does
	 * @param current the request that a thread is serving
	 */
	ModelCalls(ModelPolicies policies, TokenEstimates estimates, CurrentRequests current) {
		this.policies = policies;
		this.estimates = estimates;
		this.current = current;
	}

	/**
	 * Calls a model that answers in one piece.
	 * @param invocation the call
	 * @param model the model
	 * @param prompt what it is asked
	 * @return the answer
	 * @throws RateLimitExceededException if a policy rejects
	 * @throws Throwable what the model fails with
	 */
	@Nullable Object call(MethodInvocation invocation, ChatModel model, Prompt prompt) throws Throwable {
		ModelCaller caller = ModelCaller.ofThread();
		List<PolicyBinding> bindings = this.policies.of(caller);
		if (bindings.isEmpty()) {
			return invocation.proceed();
		}

		LimitedRequest request = this.current.find();
		if (request instanceof ReactiveRequest reactive) {
			// what is not at hand cannot be waited for here
			fetch(reactive, bindings).onErrorComplete().contextCapture().subscribe();
		}

		ModelAnswer answer = answer(prompt);
		Acquisition acquisition = request.acquire(ModelCall.METHOD, reserve(caller, model, prompt, request, answer),
				false);
		requireAccepted(acquisition);

		Object response;
		Runnable leave = ModelCaller.MODEL.enter();
		try {
			response = invocation.proceed();
			if (response instanceof ChatResponse whole) {
				answer.add(whole);
			}
		}
		catch (Throwable ex) {
			fail(acquisition, answer, ex);
			throw ex;
		}
		finally {
			leave.run();
		}
		acquisition.endCall(answer.usage(), null);
		return response;
	}

	/**
	 * Calls a model that streams its answer, whenever somebody subscribes to it. No
	 * thread waits.
	 * @param invocation the call
	 * @param model the model
	 * @param prompt what it is asked
	 * @return the answer
	 */
	Flux<ChatResponse> stream(MethodInvocation invocation, ChatModel model, Prompt prompt) {
		return Flux.deferContextual((context) -> {
			ModelCaller caller = ModelCaller.of(context);
			List<PolicyBinding> bindings = this.policies.of(caller);
			if (bindings.isEmpty()) {
				return proceed(invocation, caller);
			}

			LimitedRequest request = serving(context);
			ModelAnswer answer = answer(prompt);
			boolean mayBlock = bindings.stream().anyMatch(PolicyBinding::mayBlock);
			return fetch(request, bindings)
				.then(ReactivePermits.call(mayBlock, () -> reserve(caller, model, prompt, request, answer)))
				.flatMap((reserved) -> ReactivePermits.acquire(request, ModelCall.METHOD, reserved))
				.map(this::requireAccepted)
				.flatMapMany((acquisition) -> StreamedAnswer
					.of(ModelCaller.MODEL.stream(proceed(invocation, ModelCaller.MODEL)), answer, acquisition));
		});
	}

	/*
	 * Each subscriber needs an invocation of its own. A model may call others before it
	 * returns the stream, and within it.
	 */
	@SuppressWarnings("unchecked")
	private static Flux<ChatResponse> proceed(MethodInvocation invocation, ModelCaller caller) {
		MethodInvocation own = ((ProxyMethodInvocation) invocation).invocableClone();
		return Flux.defer(() -> {
			Runnable leave = caller.enter();
			try {
				return Objects.requireNonNull((Flux<ChatResponse>) own.proceed(), "The model has returned no stream");
			}
			catch (Throwable ex) {
				return Flux.error(ex);
			}
			finally {
				leave.run();
			}
		});
	}

	private LimitedRequest serving(ContextView context) {
		LimitedRequest request = context.getOrDefault(ReactiveRequest.KEY, null);
		if (request != null && request.isServed()) {
			return request;
		}
		return this.current.find();
	}

	private static Mono<Void> fetch(LimitedRequest request, List<PolicyBinding> bindings) {
		if (request instanceof ReactiveRequest reactive) {
			return reactive.fetch((word) -> bindings.stream().anyMatch((binding) -> binding.mayRead(word)));
		}
		return Mono.empty();
	}

	private ModelAnswer answer(Prompt prompt) {
		return new ModelAnswer(this.estimates, this.estimates.prompt(prompt));
	}

	/**
	 * Says what to reserve of each policy: what the call would be charged if it used all
	 * that it may. A charge that fails charges in the end what is reserved here.
	 */
	private List<PermitRequest> reserve(ModelCaller caller, ChatModel model, Prompt prompt, LimitedRequest request,
			ModelAnswer answer) {
		Usage most = answer.most(this.estimates.answer(model, prompt));
		CallOutcome expected = new CallOutcome(null, most, null, null);

		List<PermitRequest> reserved = new ArrayList<>();
		for (PermitRequest asked : this.policies.ask(caller, model, prompt, request.view())) {
			Charge charge = Objects.requireNonNull(asked.charge());
			long permits = charge.used(1, expected, most.getTotalTokens());
			reserved.add(new PermitRequest(asked.effectivePolicy(), asked.key(), Math.max(1, permits), charge));
		}
		return reserved;
	}

	private Acquisition requireAccepted(Acquisition acquisition) {
		AcquisitionEntry rejection = acquisition.rejection();
		if (rejection == null) {
			return acquisition;
		}

		RateLimitExceededException exceeded = new RateLimitExceededException(rejection.policy(), rejection.decision());
		if (acquisition.isCharged()) {
			acquisition.endCall(ModelAnswer.NOTHING, exceeded);
		}

		boolean never = rejection.decision().outcome() == RateLimitOutcome.REJECTED && !rejection.decision().denied()
				&& exceeded.retryAfter() == null;
		if (never && this.tooSmall.add(rejection.policy().name())) {
			logger.warn("The call of a model can never pass, because it reserves " + rejection.request().permits()
					+ " permits, more than the policy '" + rejection.policy().name()
					+ "' has at once. Set the most tokens of an answer in the options of the model (maxTokens) or in "
					+ "ratelimit.ai.max-tokens, or raise the limit. This is not logged again for the policy.");
		}
		throw exceeded;
	}

	/**
	 * Settles a call that has failed. What the provider has answered with an error is not
	 * billed.
	 */
	static void fail(Acquisition acquisition, ModelAnswer answer, Throwable failure) {
		if (AbandonedCalls.areCauseOf(failure)) {
			acquisition.cancelCall(answer.usageSoFar(), failure);
		}
		else {
			acquisition.endCall(answer.usageOfFailure(), failure);
		}
	}

}
