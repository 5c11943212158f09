import { englishMessage, englishTranslator } from '@sheaf/messages/english';
import { ISSUE_CODES, type IssueCode } from '@sheaf/vocabulary/issue-codes';
import { z } from 'zod';

export const issueBody = z
  .strictObject({
    path: z.string().describe('The field; empty for the whole request'),
    code: z.enum(ISSUE_CODES).describe('Machine-readable code of the violated rule'),
    message: z.string().describe('Human-readable message'),
    details: z.record(z.string(), z.unknown()).describe('Limits and names for the code'),
  })
  .meta({ id: 'Issue' });
/** What is wrong with one field of a request. */
export type Issue = z.infer<typeof issueBody>;

type IssueDetails = Issue['details'];

/** Codes without a message of their own: the one that the service writes is all there is. */
type PlainIssueCode = 'other' | 'pattern_too_slow';
/** Codes that the catalogue has a message for. */
type MessageIssueCode = Exclude<IssueCode, PlainIssueCode>;

/** What is wrong with the field, with the message of the code. */
export const makeIssue = (path: string, code: MessageIssueCode, details: IssueDetails = {}): Issue => ({
  path,
  code,
  message: englishMessage(`issues.${code}`, details),
  details,
});

/** What is wrong with the field, where only `message` says it. */
export const plainIssue = (path: string, message: string, code: PlainIssueCode = 'other'): Issue => ({ path, code, message, details: {} });

/** What a rule of ours says of a value that breaks it: for `refine` and `addIssue`. */
export const rule = (code: MessageIssueCode, details: IssueDetails = {}) => ({
  error: englishMessage(`issues.${code}`, details),
  params: { code, details },
});

/**
 * A text that is written as `pattern` says: of `regex` an issue would not tell which rule it was. What else holds for it goes into `text`, as
 * later rules would lose the pattern of the JSON schema.
 */
export const textLike = (pattern: RegExp, code: MessageIssueCode, text: z.ZodString = z.string()): z.ZodString =>
  text.refine((value) => pattern.test(value), rule(code)).meta({ pattern: pattern.source });

/** Formats of zod. */
const FORMAT_CODES: Readonly<Record<string, IssueCode>> = {
  email: 'not_email',
  uuid: 'not_id',
  date: 'not_date',
  datetime: 'not_date',
};

const isIssueCode = (text: string): text is IssueCode => (ISSUE_CODES as readonly string[]).includes(text);

type RuleOfIssue = readonly [IssueCode, IssueDetails?];

/** Types as JSON calls them, where zod calls them otherwise. */
const JSON_TYPES: Readonly<Record<string, string>> = { record: 'object', int: 'integer', tuple: 'array', map: 'object', set: 'array' };

const jsonType = (type: string): string => JSON_TYPES[type] ?? type;

const SMALL: Readonly<Record<string, IssueCode>> = { string: 'too_short', array: 'too_few', set: 'too_few' };
const BIG: Readonly<Record<string, IssueCode>> = { string: 'too_long', array: 'too_many', set: 'too_many' };

const limitOf = (limit: number | bigint): number => Number(limit);

const customCode = (params: Readonly<Record<string, unknown>> | undefined): RuleOfIssue => {
  const { code, details } = params ?? {};
  return typeof code === 'string' && isIssueCode(code) ? [code, details as IssueDetails] : ['other'];
};

type UnionIssue = Extract<z.core.$ZodIssue, { code: 'invalid_union' }>;

/** `metadata.*` of the pattern of a text that begins so. */
const beginningOf = (pattern: string | undefined): string => `${/^\^((?:\\.|\w)*)/.exec(pattern ?? '')?.[1]?.replaceAll('\\', '') ?? ''}*`;

const isOfWhole = ({ path }: z.core.$ZodIssue): boolean => path.length === 0;

/** The values that an option of a union consists of; undefined where it is more than an enumeration. */
const valuesOf = (issues: readonly z.core.$ZodIssue[]): readonly string[] | undefined => {
  const [issue] = issues;
  if (issue === undefined || issues.length > 1 || !isOfWhole(issue)) return undefined;
  if (issue.code === 'invalid_value') return issue.values.map(String);
  return issue.code === 'invalid_format' && issue.format === 'template_literal' ? [beginningOf(issue.pattern)] : undefined;
};

const typeOf = (issues: readonly z.core.$ZodIssue[]): string | undefined =>
  issues.flatMap((issue) => (isOfWhole(issue) && issue.code === 'invalid_type' ? [jsonType(issue.expected)] : []))[0];

/** The fields that an object lacks to be what this option is. */
const lackingIn = (issues: readonly z.core.$ZodIssue[]): string =>
  issues.flatMap(({ path, input }) => (path.length === 1 && input === undefined ? [String(path[0])] : [])).join(' + ');

/** What would be right instead of a value that is nothing a union has. */
const unionRule = ({ errors, input, message, ...issue }: UnionIssue): RuleOfIssue => {
  // a union that is told apart by one field, which the issue is about
  if ('options' in issue && issue.options !== undefined) return ['not_one_of', { values: issue.options.map(String) }];
  if (input === undefined) return ['required'];
  const values = errors.map(valuesOf);
  if (values.every((some) => some !== undefined)) return ['not_one_of', { values: values.flat() }];
  if (message !== 'Invalid input') return ['other'];
  const types = errors.map(typeOf);
  if (types.every((type) => type !== undefined)) return ['wrong_type', { expected: [...new Set(types)].join(', ') }];
  const forms = errors.map(lackingIn).filter((form) => form !== '');
  return forms.length === 0 ? ['no_such_form'] : ['lacks_fields', { forms }];
};

/** The issues of the only option of a union that the value could be, as issues of the value itself; else the issue of the union. */
const withoutUnions = (issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] => {
  if (issue.code !== 'invalid_union') return [issue];
  const ofType = issue.errors.filter((issues) => typeOf(issues) === undefined && valuesOf(issues) === undefined);
  const known = ofType.filter((issues) => !issues.some((one) => isOfWhole(one) && one.code === 'unrecognized_keys'));
  const [only] = ofType.length === 1 ? ofType : known.length === 1 ? known : [];
  return only === undefined ? [issue] : only.flatMap((one) => withoutUnions({ ...one, path: [...issue.path, ...one.path] }));
};

/** The rule that stands behind an issue of zod, which was made with `reportInput`. */
const toRule = (issue: z.core.$ZodIssue): RuleOfIssue => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? ['required'] : ['wrong_type', { expected: jsonType(issue.expected) }];
    case 'too_small':
      if (issue.input === '') return ['required'];
      return [SMALL[issue.origin] ?? 'too_small', { minimum: limitOf(issue.minimum) }];
    case 'too_big':
      return [BIG[issue.origin] ?? 'too_big', { maximum: limitOf(issue.maximum) }];
    case 'not_multiple_of':
      return ['not_multiple_of', { divisor: issue.divisor }];
    case 'invalid_format':
      return [FORMAT_CODES[issue.format] ?? 'other'];
    case 'invalid_value':
      return issue.input === undefined ? ['required'] : ['not_one_of', { values: issue.values.map(String) }];
    case 'unrecognized_keys':
      return ['unknown_keys', { keys: issue.keys }];
    case 'invalid_union':
      return unionRule(issue);
    case 'custom':
      return customCode(issue.params);
    default:
      return ['other'];
  }
};

/** Issues of a schema in the form of the interface: where, which rule, and what to do. They hold nothing of what was sent. */
export const toIssues = (error: z.ZodError): Issue[] =>
  error.issues.flatMap(withoutUnions).map((issue) => {
    const [code, details = {}] = toRule(issue);
    const message = englishTranslator().find(`issues.${code}`, details) ?? issue.message;
    return { path: issue.path.map(String).join('.'), code, message, details };
  });
