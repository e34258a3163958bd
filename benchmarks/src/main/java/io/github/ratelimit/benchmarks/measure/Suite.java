package io.github.ratelimit.benchmarks.measure;

import java.util.List;

/**
 * Contenders that are measured in one run, so that their ratios mean something.
 */
public interface Suite {

	/**
	 * What the suite is called on the command line.
	 * @return one word
	 */
	String name();

	/**
	 * What was measured and how, for readers of the results.
	 * @return a title, and paragraphs of Markdown after a line break
	 */
	String description();

	/**
	 * How the figures are to be read.
	 * @return the tables, in order
	 */
	List<Table> tables();

	/**
	 * What is drawn over several situations.
	 * @return the curves, which come before the tables
	 */
	default List<Curves> curves() {
		return List.of();
	}

	/**
	 * Measures everything.
	 * @param mode how long
	 * @return all figures
	 * @throws Exception if a contender does not do what it should
	 */
	List<Measurement> run(Mode mode) throws Exception;

}
