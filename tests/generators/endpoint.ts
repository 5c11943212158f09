import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { ACTIONS } from '@sheaf/vocabulary/permissions';

const WORD = /^[a-z][a-z\d-]*$/;
const PARAMETER = /^\{([a-z][a-z\d]*(?:_[a-z\d]+)*)\}$/;
const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete'];
const ACCESSES: readonly string[] = [...ACTIONS, 'signed-in', 'session', 'anyone', 'anyone-known'];
const NOBODYS_ID = '00000000-0000-7000-8000-000000000000';

export interface NewEndpoint {
  readonly method: string;
  /** Such as /api/documents/{id}/notes; `/:id` is `/{id}`. */
  readonly path: string;
  /** An action of the permission table, or one of the accesses that need none. */
  readonly access: string;
}

const parametersOf = (path: string): string[] =>
  path.split('/').flatMap((part) => {
    const [, name] = PARAMETER.exec(part) ?? [];
    return name === undefined ? [] : [name];
  });

/** What is wrong with `path` and what to do, if anything is. */
const mistakeIn = (path: string): string | undefined => {
  if (/[?#]/.test(path)) return 'has a query string. Leave it out, and declare its parameters in `query` of the route.';
  const [start, resource = '', ...rest] = path.split('/').slice(1);
  if (!path.startsWith('/') || start !== 'api') return 'does not start with /api/. Write it as /api/documents/{id}/notes.';
  if (!WORD.test(resource)) return 'does not name a resource. Write one after /api/, in lower case with hyphens: /api/document-types.';
  const wrong = rest.find((part) => !WORD.test(part) && !PARAMETER.test(part));
  if (wrong !== undefined) return `has the part "${wrong}". Write words as rule-changes, and parameters as {id} or {document_id}.`;
  const names = parametersOf(path);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  return twice === undefined ? undefined : `has {${twice}} twice. Give each parameter its own name.`;
};

/** How the parameters of a path are declared in its route: as IDs of rows, which most are. */
const declareParameters = (path: string): { readonly imports: string; readonly field: string } => {
  const names = parametersOf(path);
  if (names.length === 0) return { imports: '', field: '' };
  if (names.join() === 'id') return { imports: "import { idParams } from '../http/parse-input.ts';\n", field: '    params: idParams,\n' };
  return {
    imports: "import { rowId } from '@sheaf/contract';\n",
    field: `    params: z.strictObject({ ${names.map((name) => `${name}: rowId`).join(', ')} }),\n`,
  };
};

/** The name of the services that the routes of a folder share, and the file that declares them. */
const findServices = (folder: string): readonly [name: string, file: string] | undefined => {
  const [file] = globSync('*-services.ts', { cwd: folder });
  if (file === undefined) return undefined;
  const [, name] = /export interface (\w+Services) /.exec(readFileSync(join(folder, file), 'utf8')) ?? [];
  return name === undefined ? undefined : [name, basename(file)];
};

const toCamelCase = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const routeText = ({ method, path, access }: NewEndpoint, name: string, folder: string): string => {
  const { imports, field } = declareParameters(path);
  const [services, file] = findServices(folder) ?? [];
  const argument = services === undefined ? '' : `_services: ${services}`;
  return `import { z } from 'zod';
${imports}import { jsonRoute, type Route } from '../http/route.ts';
${services === undefined ? '' : `import type { ${services} } from './${file}';\n`}
const answer = z.strictObject({ done: z.boolean() });

${services === undefined ? '' : `/** Take the services that it uses from its argument: ({ database }: ${services}). */\n`}export const ${toCamelCase(basename(name))} = (${argument}): Route =>
  jsonRoute({
    method: '${method}',
    path: '${path}',
    access: '${access}',
    summary: 'What it does, in one line',
${field}    response: answer,
    handle: async () => ({ done: true }),
  });
`;
};

const testText = ({ method, path }: NewEndpoint): string => `import { testWithApi } from '../../support/running-api.ts';

const test = testWithApi();

test('${method} ${path} answers what it declares', async (t) => {
${path.includes('{') ? '  // make a row and use its ID\n' : ''}  const response = await t.context.admin.request('${path.replaceAll(/\{\w+\}/g, NOBODYS_ID)}', { method: '${method.toUpperCase()}' });
  t.is(response.status, 200, 'it is in routes.ts of its folder');
  t.deepEqual(await response.json(), { done: true });
});
`;

/** The file of a route, as folder/name: documents/notes for a GET of /api/documents/{id}/notes, notes/delete-notes for a DELETE of /api/notes/{id}. */
const nameOf = ({ method, path }: NewEndpoint): string => {
  const [folder = '', ...rest] = path
    .split('/')
    .slice(2)
    .filter((part) => !part.startsWith('{'));
  const words = rest.length === 0 ? [method, folder] : [...(method === 'get' ? [] : [method]), ...rest];
  return `${folder}/${words.join('-')}`;
};

/** What mounts the route in `file` below `root`, as a step that is left to do. */
export const mountingStep = (root: string, file: string): string => {
  const folder = relative(root, dirname(file));
  if (existsSync(join(root, folder, 'routes.ts'))) return `add the route to ${folder}/routes.ts`;
  return `write ${folder}/routes.ts with a function that returns the list of routes, and add it to allRoutes in apps/api/src/routes.ts`;
};

/** Writes a route and a test of it below `root`, and returns their paths. The route is not mounted yet. */
export const newEndpoint = (root: string, given: NewEndpoint): string[] => {
  const endpoint = { ...given, path: given.path.replaceAll(/(?<=\/):(\w+)/g, '{$1}') };
  const { method, path, access } = endpoint;
  const [folder = ''] = path.split('/').slice(2);
  if (!METHODS.includes(method)) throw new Error(`"${method}" is not a method. Use one of: ${METHODS.join(', ')}.`);
  const mistake = mistakeIn(path);
  if (mistake !== undefined) throw new Error(`The path "${path}" ${mistake}`);
  if (!ACCESSES.includes(access))
    throw new Error(
      `"${access}" is not a permission. Add a new one to ACTIONS in packages/vocabulary/src/permissions.ts first, or use one of: ${ACCESSES.join(', ')}.`,
    );
  const name = nameOf(endpoint);
  const files: readonly (readonly [path: string, text: string])[] = [
    [join(root, `apps/api/src/${name}.ts`), routeText(endpoint, name, join(root, 'apps/api/src', folder))],
    [join(root, `tests/integration/api/${name.replace('/', '-')}.test.ts`), testText(endpoint)],
  ];
  for (const [file] of files) if (existsSync(file)) throw new Error(`${file} is there already`);
  for (const [file, text] of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return files.map(([file]) => file);
};
