// What only the tests of this package import: production code uses the index.

export { LanguageDetector } from './language-detector.ts';
export { detectLanguage } from './language-task.ts';
export { LanguageChoice, languagesToRead } from './languages-to-read.ts';
