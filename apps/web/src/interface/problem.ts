import type { Issue } from '@sheaf/contract';
import type { Translator } from '@sheaf/messages';
import { ERROR_CODES } from '@sheaf/vocabulary/error-codes';

/** What went wrong before the service could say anything. */
export type ClientCode = 'UNREACHABLE' | 'UNREADABLE' | 'UNKNOWN';

interface ProblemFields {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** What went wrong with a call, in the service's own words. Status 0: it could not be reached, -1: it was not asked. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor({ status, code, message, details = {}, requestId, retryAfterSeconds }: ProblemFields) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  static unreachable(): Problem {
    return new Problem({ status: 0, code: 'UNREACHABLE' satisfies ClientCode, message: 'The service cannot be reached' });
  }

  /** Of a file on this computer. */
  static unreadable(name: string): Problem {
    return new Problem({
      status: -1,
      code: 'UNREADABLE' satisfies ClientCode,
      message: `${name} cannot be read any more`,
      details: { name },
    });
  }

  /** What is wrong with each field of what was sent, by its path. */
  get issues(): readonly Issue[] {
    const { issues } = this.details;
    return Array.isArray(issues) ? (issues as Issue[]) : [];
  }

  /** Whether the same call may well succeed a moment later. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 502;
  }
}

interface Envelope {
  readonly error?: {
    readonly code?: string;
    readonly message?: string;
    readonly details?: Record<string, unknown>;
    readonly request_id?: string;
  };
}

/** The narrower code that a reason stands for; undefined where it is a reason only. */
const conditionOf = (reason: unknown): string | undefined =>
  typeof reason === 'string' ? ERROR_CODES.find((code) => code.toLowerCase() === reason) : undefined;

/** The envelope of an error as a Problem; an answer of a proxy in between has none. */
export const problemOf = (status: number, text: string, retryAfter: string | null): Problem => {
  let envelope: Envelope = {};
  try {
    envelope = JSON.parse(text) as Envelope;
  } catch {
    // not ours
  }
  return problemOfError(status, envelope.error ?? {}, retryAfter);
};

/** What an envelope has inside, as a Problem. */
export const problemOfError = (status: number, error: NonNullable<Envelope['error']>, retryAfter: string | null = null): Problem => {
  const { code = 'UNKNOWN' satisfies ClientCode, message, details = {}, request_id } = error;
  return new Problem({
    status,
    code: conditionOf(details['reason']) ?? code,
    message: message ?? `The service answered with status ${status}`,
    details,
    requestId: request_id,
    retryAfterSeconds: retryAfter === null ? undefined : Number(retryAfter),
  });
};

export const toProblem = async (response: Response): Promise<Problem> =>
  problemOf(response.status, await response.text(), response.headers.get('Retry-After'));

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
