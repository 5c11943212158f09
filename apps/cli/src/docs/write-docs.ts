// `npm run docs`: writes the generated pages of docs/ and deploy/service.example.yml.

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { appendixTables, everydayTable, exampleServiceFile } from '@sheaf/config';
import { compileMessage } from '@sheaf/messages/catalogue';
import en from '@sheaf/messages/locales/en.json' with { type: 'json' };
import { ERROR_CODES, ERROR_REASONS, ERROR_STATUS } from '@sheaf/vocabulary/error-codes';
import { ACTIONS, BUILT_IN_ROLES } from '@sheaf/vocabulary/permissions';
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

export const ROOT = join(import.meta.dirname, '../../../..');

const run = promisify(execFile);

const configurationPage = (): string =>
  `# Configuration reference

An installation at home needs none of these variables, or a few of the [everyday](#everyday-variables) ones. The
[appendix](#appendix-by-subject) has all others by subject. A default in parentheses at the end of a meaning applies where the variable is unset.
[Configuration](index.md) describes where you set a variable and which value wins.

## Everyday variables

${everydayTable()}

## Appendix by subject

${appendixTables()}
`;

const withNotice = (text: string): string => `<!-- Generated by \`npm run docs\`. Do not edit. -->\n\n${text}`;

/** Nothing of the caller's configuration; with the endpoints that answer FEATURE_DISABLED by default. */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', MFA_ENABLED: 'true' };

/** What a command of the project prints on stdout, run in its root as a user runs it. */
const outputOf = async (command: string): Promise<string> => {
  const [program = '', ...args] = command.split(' ');
  const { stdout } = await run(join(ROOT, program), args, { cwd: ROOT, env: ENVIRONMENT, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
};

/** The text of every generated file by its path below the root. */
export const generatedFiles = async (): Promise<ReadonlyMap<string, string>> => {
  const openApi = readOpenApi(await outputOf('bin/sheaf openapi'));
  return new Map([
    ['docs/configuration/reference.md', withNotice(configurationPage())],
    ['docs/api/endpoints.md', withNotice(endpointsPage(openApi))],
    ['docs/api/error-codes.md', withNotice(errorCodesPage(openApi))],
    ['docs/api/permissions.md', withNotice(permissionsPage())],
    ['docs/cli/index.md', withNotice(await commandsPage(outputOf))],
    ['deploy/service.example.yml', exampleServiceFile()],
  ]);
};

/** All permissions and the built-in roles, as Markdown. */
const permissionsPage = (): string => `# Permissions

A permission is \`resource.action\`. With the suffix \`.own\` it covers what belongs to the user, \`resource.*\` stands for all actions of a
resource, and \`*\` for every permission. [Users and roles](../guides/users-and-roles.md) describes how to change roles.

## Built-in roles

${table(
  ['Role', 'Permissions'],
  Object.entries(BUILT_IN_ROLES).map(([role, permissions]) => [`\`${role}\``, permissions.map((one) => `\`${one}\``).join(', ')]),
)}

## All permissions

${ACTIONS.map((action) => `- \`${action}\``).join('\n')}
`;

/** Every command and how its help is asked for. */
const COMMANDS: readonly (readonly [heading: string, command: string])[] = [
  ['sheaf', 'bin/sheaf --help'],
  ['sheaf start', 'bin/sheaf start --help'],
  ['sheaf --show-config', 'bin/sheaf --show-config --help'],
  ['sheaf verify', 'bin/sheaf verify --help'],
  ['sheaf backup', 'bin/sheaf backup --help'],
  ['sheaf restore', 'bin/sheaf restore --help'],
  ['sheaf password', 'bin/sheaf password --help'],
  ['sheaf drain', 'bin/sheaf drain --help'],
  ['sheaf facts', 'bin/sheaf facts --help'],
  ['sheaf import', 'bin/sheaf import --help'],
  ['sheaf export paperless', 'bin/sheaf export paperless --help'],
  ['sheaf openapi', 'bin/sheaf openapi --help'],
  ['migrate', 'bin/migrate --help'],
  ['migrate_to_s3', 'bin/migrate_to_s3 --help'],
];

/** The help of every command as Markdown; `outputOf` answers what a command prints. */
const commandsPage = async (outputOf: (command: string) => Promise<string>): Promise<string> => {
  const sections: string[] = [];
  for (const [heading, command] of COMMANDS) {
    sections.push(`## ${heading}\n\n\`\`\`text\n${(await outputOf(command)).trim()}\n\`\`\``);
  }
  return `# Commands

Run commands in the project folder, or through a link to \`bin/sheaf\` in any folder of \`PATH\`. Commands read the same configuration as
the service: [configuration](../configuration/index.md). With systemd or a container, see
[running commands under systemd](../install/systemd.md#run-commands) and [in a container](../install/container.md#run-commands).

${sections.join('\n\n')}

## Exit codes

| Code | Meaning |
| --- | --- |
| 0 | Success |
| 1 | Failed, or something remains to be done |
| 2 | Wrong usage |
| 69 | The service, or another run of the same command, is running |
| 78 | Configuration error |
`;
};

// the tests import this file to compare, and would find what they have just written
if (import.meta.main)
  for (const [path, text] of await generatedFiles()) {
    await mkdir(dirname(join(ROOT, path)), { recursive: true });
    await writeFile(join(ROOT, path), text);
  }
