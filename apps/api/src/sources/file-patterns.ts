import { plainIssue, validationError } from '@sheaf/contract';
import { refusalOfPatterns } from '@sheaf/storage/folders';

/** Throws VALIDATION_ERROR for patterns that would take the service too much time, however few files there are. */
export const requireFilePatterns = (patterns: readonly string[]): void => {
  const message = refusalOfPatterns(patterns);
  if (message !== undefined)
    throw validationError(`Invalid body: file_patterns: ${message}`, {
      issues: [plainIssue('file_patterns', message, 'pattern_too_slow')],
    });
};
