import { languageOfSample } from './detect-language.ts';

/** The language of each sample, as `languageOfSample` has it. */
export default (samples: readonly string[]): Promise<(string | undefined)[]> => Promise.all(samples.map(languageOfSample));
