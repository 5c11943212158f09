// What only the tests of this package import: production code uses the index.
export { detectLanguage } from './detect-language.ts';
export { LanguageChoice } from './language-choice.ts';
export { LanguageDetector } from './language-detector.ts';
export { languagesToRead } from './languages-to-read.ts';
