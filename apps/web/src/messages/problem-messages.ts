import type { Issue } from '@sheaf/contract';
import type { Translator } from '@sheaf/messages';
import type { Problem } from '../interface/problem.ts';

/** Messages of errors in the language of a translator; the service's own where there is none. */
export interface ProblemMessages {
  readonly ofProblem: (problem: Problem) => string;
  readonly ofIssue: (issue: Issue) => string;
  /** The name of a field of a request, by its path. */
  readonly ofField: (path: string) => string;
}

export const makeProblemMessages = ({ find, t }: Translator): ProblemMessages => {
  const ofIssue = ({ code, details, message }: Issue): string => find(`issues.${code}`, details) ?? message;
  // the last step that has a name: of `settings.bucket` the bucket, of `file_patterns.2` the patterns
  const ofField = (path: string): string => {
    const names = path.split('.').map((step) => find(`fields.${step}`));
    return names.findLast((name) => name !== undefined) ?? path;
  };
  const ofIssues = (issues: readonly Issue[]): string | undefined =>
    issues.length === 0
      ? undefined
      : issues
          .map((issue) => {
            const text = ofIssue(issue);
            return issue.path === '' ? text : t('common.issueOfField', { field: ofField(issue.path), issue: text });
          })
          .join('; ');
  // the service writes errors for programs: what a screen has to put differently has a text of its own
  const ofCode = (code: string, details: Readonly<Record<string, unknown>>): string | undefined =>
    find(`screenErrors.${code}`, details) ?? find(`errors.${code}`, details);
  const ofProblem = ({ code, details, issues, message, status, retryAfterSeconds }: Problem): string => {
    const { reason } = details;
    const given = { ...details, status, ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }) };
    return (typeof reason === 'string' ? ofCode(reason, given) : undefined) ?? ofIssues(issues) ?? ofCode(code, given) ?? message;
  };
  return { ofProblem, ofIssue, ofField };
};
