import { compileMessage } from '@sheaf/messages/catalogue';
import en from '@sheaf/messages/locales/en.json' with { type: 'json' };
import { ERROR_CODES, ERROR_REASONS, ERROR_STATUS } from '@sheaf/vocabulary/error-codes';
import { z } from 'zod';

/** Text, or `[name]`, `[name, type, branches]`; `#` is the number that a plural counts. */
type Tokens = string | readonly (string | readonly [name: string, type?: string, branches?: Readonly<Record<string, Tokens>>])[];

const render = (tokens: Tokens, counted: string): string => {
  if (typeof tokens === 'string') return tokens === '#' ? `{${counted}}` : tokens;
  return tokens
    .map((token) => {
      if (typeof token === 'string') return render(token, counted);
      const [key, type, branches] = token;
      const name = key.replace(/^[?#]/, '');
      return type === undefined ? `{${name}}` : render(branches?.['other'] ?? '', type === 'plural' ? name : counted);
    })
    .join('');
};

/** A message with its details in braces; of one that depends on a detail, the general branch. */
const generalMessage = (message: string): string => render(compileMessage(message) as Tokens, '');

/** The English message of a code. */
const messageOf = (code: string): string => {
  const message = (en as Readonly<Record<string, string>>)[`errors.${code}`];
  return message === undefined ? '-' : generalMessage(message);
};

const SERVICE_PROBLEMS = 'serviceProblems.';

/** The codes of health, alerts and logs with their English messages. */
const serviceProblems = (): readonly (readonly [code: string, message: string])[] =>
  Object.entries(en).flatMap(([key, message]) =>
    key.startsWith(SERVICE_PROBLEMS) ? [[`\`${key.slice(SERVICE_PROBLEMS.length)}\``, generalMessage(message)] as const] : [],
  );

/** An error that nearly every endpoint can answer with names none of them. */
const MOST_ENDPOINTS = 8;

const KIND_BY_STATUS: ReadonlyMap<number, string> = new Map(Object.entries(ERROR_STATUS).map(([kind, status]) => [status, kind]));

/** Such a code says itself what is missing. */
const isOfResource = (code: string): boolean => code.endsWith('_NOT_FOUND');

const whereOf = (code: string, endpoints: readonly Endpoint[]): string => {
  const places = endpoints.filter(({ errors }) => errors.has(code));
  if (places.length === 0) return '-';
  if (places.length > MOST_ENDPOINTS) return `${places.length} endpoints`;
  return places.map(({ method, path }) => `\`${method} ${path}\``).join('<br>');
};

/** All error codes with their status and the endpoints that answer with them, as Markdown. */
export const errorCodesPage = (endpoints: readonly Endpoint[]): string => {
  const statusByName = new Map([...Object.entries(ERROR_STATUS), ...endpoints.flatMap(({ errors }) => [...errors])]);
  const kinds = Object.entries(ERROR_STATUS).map(([code, status]) => [`\`${code}\``, String(status), messageOf(code)]);
  const ofResources = ERROR_CODES.filter(isOfResource).map((code) => [
    `\`${code}\``,
    String(statusByName.get(code) ?? '-'),
    messageOf(code),
    whereOf(code, endpoints),
  ]);
  const conditions = ERROR_CODES.filter((code) => !isOfResource(code)).map((code) => {
    const reason = code.toLowerCase();
    const kind = KIND_BY_STATUS.get(statusByName.get(reason) ?? 0);
    return [`\`${reason}\``, kind === undefined ? '-' : `\`${kind}\``, messageOf(code), whereOf(reason, endpoints)];
  });
  return `# Error codes

Every error has the same JSON body. \`error.code\` is stable and meant for programs; \`error.message\` is meant for people and may change.

\`\`\`json
{
  "error": {
    "code": "DOCUMENT_NOT_FOUND",
    "message": "...",
    "details": { "document_id": "..." },
    "timestamp": "2026-11-22T10:00:00.000Z",
    "request_id": "..."
  }
}
\`\`\`

Use \`request_id\` to find the request in the log. A validation error lists its fields in \`details.issues\`, each with \`path\`, \`code\`,
\`message\` and \`details\`.

## Codes

Each error has one of these codes, which sets the HTTP status. Where a single resource is missing, the code names it, such as
\`DOCUMENT_NOT_FOUND\`.

${table(['Code', 'Status', 'Message'], kinds)}

## Missing resources

${table(['Code', 'Status', 'Message', 'Endpoints'], ofResources)}

## Conditions

Where several conditions share a code, \`details.reason\` names the condition:

${table(['Reason', 'Code', 'Message', 'Endpoints'], conditions)}

Commands and event connections report the conditions without an endpoint.

## Other reasons

${table(
  ['Reason', 'Message'],
  ERROR_REASONS.map((reason) => [`\`${reason}\``, messageOf(reason)]),
)}

## Health, checks, alerts and refused starts

\`GET /api/health\`, \`GET /api/health/detailed\`, the readiness probe, alert events and alert notifications list what is wrong in
\`problems\`, each with \`code\`, \`message\` and \`details\`. \`details\` has the values that the message shows. Storage problems have the reason of
the error instead. \`GET /api/health/auth/oidc\` and \`POST /api/auth/test\` report their findings in the same way. The log line of a process
that refuses to start has the \`code\` too.

${table(['Code', 'Message'], serviceProblems())}
`;
};

/** The list of endpoints by resource, as Markdown. */
export const endpointsPage = (endpoints: readonly Endpoint[]): string => {
  const sections = [...Map.groupBy(endpoints, ({ tag }) => tag)].map(
    ([tag, group]) =>
      `## ${tag}\n\n${table(
        ['Endpoint', 'Permission', 'Summary'],
        group.map(({ method, path, permission, summary }) => [
          `\`${method} ${path}\``,
          permission === undefined ? '-' : `\`${permission}\``,
          summary,
        ]),
      )}`,
  );
  return `# Endpoints

Every endpoint with the permission that it requires. Parameters, bodies and answers are in the OpenAPI document of your installation:
\`/api/docs\` in a browser, \`/api/openapi.json\` for programs. [Permissions](permissions.md) lists the roles.

${sections.join('\n\n')}
`;
};

/** Text that stands in a cell of a Markdown table. Braces would be template syntax of the static site. */
const toCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('{{', '{ {');

/** A Markdown table, whose cells are Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(toCell).join(' | ')} |`).join('\n');

const operation = z.looseObject({
  summary: z.string(),
  tags: z.array(z.string()),
  'x-permission': z.string().optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string() })),
});

const openApiDocument = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) });

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Undefined where no permission is needed. */
  readonly permission: string | undefined;
  /** HTTP status by error code, and by reason. */
  readonly errors: ReadonlyMap<string, number>;
}

const codesOf = (responses: z.infer<typeof operation>['responses']): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(responses).flatMap(([status, { description }]) =>
      [...description.matchAll(/`([A-Za-z_]\w*)`/g)].map(([, name = '']): [string, number] => [name, Number(status)]),
    ),
  );

/** The endpoints of an OpenAPI document, in its order. */
export const readOpenApi = (text: string): readonly Endpoint[] =>
  Object.entries(openApiDocument.parse(JSON.parse(text)).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, tags, 'x-permission': permission, responses }]) => ({
      method: method.toUpperCase(),
      path,
      tag: tags[0] ?? '',
      summary,
      permission,
      errors: codesOf(responses),
    })),
  );
