export { type ArrangedPage, type ArrangeProblem, arrangePages } from './arrange-pages.ts';
