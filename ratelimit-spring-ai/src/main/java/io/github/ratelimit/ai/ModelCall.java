package io.github.ratelimit.ai;

import java.lang.reflect.Method;

import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.util.ClassUtils;

/**
 * The call of a model as expressions see it: a key may read {@code #prompt}, and a charge
 * what the call returns, as {@code usage}.
 */
interface ModelCall {

	/** Where each model is called. */
	Method METHOD = ClassUtils.getMethod(ModelCall.class, "call", Prompt.class);

	/**
	 * Calls the model.
	 * @param prompt the messages and the options
	 * @return the tokens that it has used
	 */
	Usage call(Prompt prompt);

}
