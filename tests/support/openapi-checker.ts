import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ExecutionContext } from 'ava';
import { z } from 'zod';
import type { RunningApi } from './running-api.ts';

const header = z.looseObject({ required: z.boolean().optional(), schema: z.unknown() });

const openApi = z.looseObject({
  components: z.looseObject({ headers: z.record(z.string(), header).default({}) }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        responses: z.record(
          z.string(),
          z.looseObject({
            content: z.record(z.string(), z.looseObject({ schema: z.unknown() })).optional(),
            headers: z.record(z.string(), z.union([z.strictObject({ $ref: z.string() }), header])).default({}),
          }),
        ),
      }),
    ),
  ),
});

export interface OpenApiChecker {
  /** Compares an answer with what the text says of this operation and status, and returns its body. */
  readonly check: (method: string, path: string, status: number, answer: Response) => Promise<unknown>;
  /** What the text has, as `get /api/documents`. */
  readonly operations: readonly string[];
}

const escape = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** Checks answers against what the text that the service serves says of them. */
export const openChecker = async (t: ExecutionContext<RunningApi>, address = '/api/openapi.json'): Promise<OpenApiChecker> => {
  const text: unknown = await (await t.context.anyone.request(address)).json();
  const { paths, components } = openApi.parse(text);
  const ajv = new Ajv2020.default({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(text as object, 'sheaf');
  const check: OpenApiChecker['check'] = async (method, path, status, answer) => {
    const name = `${method} ${path} ${status}`;
    if (answer.status !== status) t.fail(`${name} answered ${answer.status}: ${(await answer.clone().text()).slice(0, 500)}`);
    const declared = paths[path]?.[method]?.responses[String(status)];
    t.truthy(declared, `${name} is not declared`);
    for (const [field, given] of Object.entries(declared?.headers ?? {})) {
      const known =
        '$ref' in given && typeof given.$ref === 'string' ? components.headers[given.$ref.split('/').at(-1) ?? ''] : header.parse(given);
      const value = answer.headers.get(field);
      if (known?.required === true) t.truthy(value, `${name} has no ${field}`);
      if (value !== null) t.true(ajv.validate(known?.schema ?? {}, value), `${name} ${field}: ${value}`);
    }
    const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
    if (declared?.content === undefined) {
      t.is(await answer.text(), '', name);
      return undefined;
    }
    t.true(Object.hasOwn(declared.content, type) || Object.hasOwn(declared.content, '*/*'), `${name} answered ${type}`);
    if (type !== 'application/json') return answer.text();
    const body: unknown = await answer.json();
    const pointer = ['paths', path, method, 'responses', String(status), 'content', type, 'schema'].map(escape).join('/');
    t.true(ajv.validate({ $ref: `sheaf#/${pointer}` }, body), `${name}: ${ajv.errorsText()}`);
    return body;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
  return { check, operations };
};
