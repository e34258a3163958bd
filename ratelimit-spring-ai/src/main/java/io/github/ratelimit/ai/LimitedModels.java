package io.github.ratelimit.ai;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.function.Supplier;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AbstractAdvisingBeanPostProcessor;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.util.ClassUtils;

/**
 * Puts the limits around each model that is a bean, so that they hold whoever calls it.
 * In Spring AI 2.0 a client calls the model once for each round of a conversation with
 * tools, and so each round is limited.
 */
final class LimitedModels extends AbstractAdvisingBeanPostProcessor implements SmartInitializingSingleton {

	private final Supplier<ModelCalls> calls;

	private volatile boolean limiting;

	/**
	 * Creates the post-processor.
	 * @param calls asked for once there are other beans, so that nothing that it needs is
	 * created too early to be post-processed itself
	 */
	LimitedModels(Supplier<ModelCalls> calls) {
		this.calls = calls;
		NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
		pointcut.setClassFilter(ChatModel.class::isAssignableFrom);
		pointcut.setMappedNames("call", "stream");
		MethodInterceptor interceptor = this::invoke;
		this.advisor = new DefaultPointcutAdvisor(pointcut, interceptor);
		setProxyTargetClass(true);
	}

	@Override
	protected ProxyFactory prepareProxyFactory(Object bean, String beanName) {
		this.limiting = true;
		return super.prepareProxyFactory(bean, beanName);
	}

	/*
	 * Those of some providers are final, and are only to be had as a ChatModel then. The
	 * same holds when Spring asks for a bean's type ahead of time.
	 */
	@Override
	protected void customizeProxyFactory(ProxyFactory factory) {
		Class<?> model = factory.getTargetClass();
		if (model != null && Modifier.isFinal(model.getModifiers())) {
			factory.setProxyTargetClass(false);
			evaluateProxyInterfaces(model, factory);
		}
	}

	/*
	 * To read the vocabulary of tokens takes a while, and a thread that must not block
	 * may be the first to call a model. Without one there is no need to read it.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		if (this.limiting) {
			this.calls.get();
		}
	}

	private @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Method method = invocation.getMethod();
		@Nullable Object[] arguments = invocation.getArguments();
		Object asked = (arguments.length == 1) ? arguments[0] : null;

		if (asked instanceof String || asked instanceof Message[]) {
			ChatModel proxy = (ChatModel) ((ProxyMethodInvocation) invocation).getProxy();
			Method shortForm = ClassUtils.getInterfaceMethodIfPossible(method, ChatModel.class);
			return AopUtils.invokeJoinpointUsingReflection(new ShortForms(proxy), shortForm, arguments);
		}

		if (!(asked instanceof Prompt prompt) || !(invocation.getThis() instanceof ChatModel model)) {
			return invocation.proceed();
		}
		if (method.getName().equals("stream")) {
			return this.calls.get().stream(invocation, model, prompt);
		}
		return this.calls.get().call(invocation, model, prompt);
	}

	/**
	 * The short forms of a model's methods, such as {@code call(String)}. A model's own
	 * would call the others on the model itself, without the limits.
	 *
	 * @param model has the limits
	 */
	private record ShortForms(ChatModel model) implements ChatModel {

		@Override
		public ChatResponse call(Prompt prompt) {
			return this.model.call(prompt);
		}

		@Override
		public Flux<ChatResponse> stream(Prompt prompt) {
			return this.model.stream(prompt);
		}

	}

}
