import { z } from 'zod';

const operation = z.looseObject({
  summary: z.string(),
  tags: z.array(z.string()),
  'x-permission': z.string().optional(),
  responses: z.record(z.string(), z.looseObject({ description: z.string() })),
});

const openApiDocument = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) });

export interface Endpoint {
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
