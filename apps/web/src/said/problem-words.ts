import type { Issue } from '@sheaf/contract';
import type { Problem } from '../interface/problem.ts';
import type { Format } from '../language/format.ts';
import type { Language } from '../language/texts.ts';
import { errorWords } from './error-words.ts';
import { fieldWords } from './field-words.ts';
import { issueWords } from './issue-words.ts';
import { say } from './words.ts';

/** What the service says of errors, in the language of the reader. What it has no words for stands in the service's own. */
export interface ProblemWords {
  readonly ofProblem: (problem: Problem) => string;
  readonly ofIssue: (issue: Issue) => string;
  /** The name of a field of a request, by its path. */
  readonly ofField: (path: string) => string;
}

/** The first step of a path that is a name and known: of `settings.bucket` the bucket, of `file_patterns.2` the patterns. */
const namedStep = (words: Readonly<Record<string, unknown>>, path: string): string | undefined =>
  path
    .split('.')
    .toReversed()
    .find((step) => Object.hasOwn(words, step));

export const problemWords = (language: Language, format: Format): ProblemWords => {
  const fields = fieldWords[language];
  const ofIssue = ({ code, details, message }: Issue): string => say(issueWords[language], code, details, format) ?? message;
  const ofField = (path: string): string => {
    const step = namedStep(fields, path);
    return (step === undefined ? undefined : say(fields, step, {}, format)) ?? path;
  };
  const ofIssues = (issues: readonly Issue[]): string | undefined =>
    issues.length === 0
      ? undefined
      : issues.map((issue) => (issue.path === '' ? ofIssue(issue) : `${ofField(issue.path)}: ${ofIssue(issue)}`)).join('; ');
  const ofProblem = ({ code, details, issues, message, status, retryAfterSeconds }: Problem): string => {
    const { reason } = details;
    const given = { ...details, status, ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }) };
    const words = errorWords[language];
    return (
      (typeof reason === 'string' ? say(words, reason, given, format) : undefined) ??
      ofIssues(issues) ??
      say(words, code, given, format) ??
      message
    );
  };
  return { ofProblem, ofIssue, ofField };
};
