// What only the tests of this package import: production code uses the index.

export { LanguageChoice } from './language-choice.ts';
export { LanguageDetector } from './language-detector.ts';
export { detectLanguage } from './language-task.ts';
export { languagesToRead } from './languages-to-read.ts';
