export { detectLanguage } from './language-task.ts';
