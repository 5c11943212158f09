import { errorBody } from '@sheaf/contract';
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiParameters, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { readOnlyFields } from '../http/read-only-fields.ts';
import type { DeclaredAnswer, Route, StreamContent } from '../http/route.ts';
import { errorAnswers } from './error-answers.ts';
import { COMMON_HEADERS, DEPRECATED_HEADERS } from './headers.ts';
import { accessText, isAction, securityOf } from './security.ts';

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A name for generated clients: get /api/documents/{id} is getDocumentsById, get /health is getServiceHealth. */
export const operationIdOf = ({ method, path }: Pick<Route, 'method' | 'path'>): string => {
  const [first, ...further] = path.split('/').slice(1);
  const words = first === 'api' ? further : ['service', first ?? '', ...further];
  const parts = words.map((part) => (part.startsWith('{') ? `By-${part.slice(1, -1)}` : part));
  return (
    method +
    parts
      .flatMap((part) => part.split(/\W+/))
      .map(capital)
      .join('')
  );
};

/** The resource that a route belongs to: the first word behind /api. */
export const tagOf = ({ path }: Pick<Route, 'path'>): string =>
  path.startsWith('/api/') ? (path.split('/')[2]?.split('.')[0] ?? 'service') : 'service';

const textHeader = (description: string): z.ZodType => z.string().optional().meta({ header: { description }, param: { description } });

const textHeaders = (headers: Readonly<Record<string, string>>): z.ZodObject =>
  z.object(Object.fromEntries(Object.entries(headers).map(([name, meaning]) => [name, textHeader(meaning)])));

/** The fields of a query or a path. A route that takes anything, as one of a feature that is off does, describes none. */
const fieldsOf = (schema: z.ZodType, what: string): z.ZodObject | undefined => {
  if (schema instanceof z.ZodObject) return schema;
  if (schema instanceof z.ZodUnknown) return undefined;
  throw new Error(`${what} is not described by an object`);
};

/** The parameters in the braces of a path, for a route that does not check them. */
const bracesOf = ({ path }: Route): z.ZodObject =>
  z.object(Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, z.string()])));

const contentOf = ({ contentTypes, schema }: DeclaredAnswer): ZodOpenApiResponseObject['content'] => {
  if (schema === undefined && contentTypes === undefined) return undefined;
  // bytes have no schema: OpenAPI 3.1 leaves it empty
  const others = (contentTypes ?? []).map(
    (type) => [type, { schema: type.startsWith('text/') ? { type: 'string' as const } : {} }] as const,
  );
  return { ...Object.fromEntries(others), ...(schema === undefined ? {} : { 'application/json': { schema } }) };
};

const toResponse = (answer: DeclaredAnswer, { isDeprecated }: Route): ZodOpenApiResponseObject => {
  const content = contentOf(answer);
  const common = isDeprecated === true ? DEPRECATED_HEADERS : COMMON_HEADERS;
  const headers = answer.headers === undefined ? common : common.extend(textHeaders(answer.headers).shape);
  return { description: answer.description, headers, ...(content === undefined ? {} : { content }) };
};

/** An answer that has the status of an error as well may be either. */
const orError = (answer: DeclaredAnswer, errors: ZodOpenApiResponsesObject): DeclaredAnswer => {
  const error = errors[`${answer.status}` as keyof ZodOpenApiResponsesObject] as { readonly description: string } | undefined;
  if (error === undefined || (answer.schema === undefined && answer.contentTypes === undefined)) return answer;
  const schema = answer.schema === undefined ? errorBody : z.union([answer.schema, errorBody]);
  return { ...answer, description: `${answer.description}. Or: ${error.description}`, schema };
};

const ETAG = { ETag: 'ETag of the resource, for If-Match of a change; absent if the request has parameters' } as const;

const answersOf = (route: Route): readonly DeclaredAnswer[] => {
  if (route.kind === 'json') {
    const answer = { status: route.status, description: 'Done', schema: route.response };
    if (route.change === undefined) return [answer, ...(route.otherAnswers ?? [])];
    return [
      { ...answer, headers: ETAG },
      ...(route.otherAnswers ?? []),
      ...(route.method === 'get' ? [{ status: 304, description: 'Not modified' }] : []),
    ];
  }
  if (route.content === undefined) throw new Error(`${route.method} ${route.path} has no request and response schema`);
  return route.content.answers;
};

const conditionsOf = ({ change, method }: Route): Readonly<Record<string, string>> | undefined => {
  if (change === undefined) return undefined;
  if (method === 'get') return { 'If-None-Match': 'ETag of the cached response' };
  return { 'If-Match': 'ETag of the state that the change is meant for; if the resource has another one, the response is 412' };
};

/** Which fields of a change are ignored because they are the service's own. */
const readOnlyText = (route: Route): string | undefined => {
  const names = readOnlyFields(route);
  return names.length === 0 ? undefined : `Read-only fields are ignored: ${names.map((name) => `\`${name}\``).join(', ')}.`;
};

const parametersOf = (route: Route): ZodOpenApiParameters => {
  const what = `${route.method} ${route.path}`;
  const path = (route.params && fieldsOf(route.params, `path of ${what}`)) ?? bracesOf(route);
  const query = route.query && fieldsOf(route.query, `query of ${what}`);
  const headers = (route.kind === 'stream' ? route.content?.requestHeaders : undefined) ?? conditionsOf(route);
  return {
    path,
    ...(query === undefined ? {} : { query }),
    ...(headers === undefined ? {} : { header: textHeaders(headers) }),
  };
};

const formBody = ({ form }: StreamContent) =>
  form === undefined ? {} : { requestBody: { required: true, content: { 'multipart/form-data': { schema: form } } } };

const bodyOf = (route: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> => {
  if (route.body === undefined) return route.kind === 'stream' && route.content !== undefined ? formBody(route.content) : {};
  const isRequired = !route.body.safeParse(undefined).success;
  const schema = route.body instanceof z.ZodOptional ? (route.body.unwrap() as z.ZodType) : route.body;
  const file = { 'multipart/form-data': { schema: z.object({ file: z.file() }) } };
  const form =
    route.kind === 'stream' && route.content?.form !== undefined ? { 'multipart/form-data': { schema: route.content.form } } : {};
  const content = { 'application/json': { schema }, ...(route.kind === 'json' && route.takesBodyFile === true ? file : form) };
  return { requestBody: { required: isRequired, content } };
};

/** One route as OpenAPI has it. Throws for a route that streams and does not say what. */
export const toOperation = (route: Route): ZodOpenApiOperationObject => {
  const errors = errorAnswers(route);
  const answers: ZodOpenApiResponsesObject = Object.fromEntries(
    answersOf(route).map((answer) => [answer.status, toResponse(orError(answer, errors), route)]),
  );
  return {
    operationId: operationIdOf(route),
    tags: [tagOf(route)],
    summary: route.summary,
    ...(route.isDeprecated === true ? { deprecated: true } : {}),
    description: [route.description, readOnlyText(route), accessText(route)].filter((text) => text !== undefined).join('\n\n'),
    security: securityOf(route.access),
    ...(isAction(route.access) ? { 'x-permission': route.access } : {}),
    requestParams: parametersOf(route),
    ...bodyOf(route),
    responses: { ...errors, ...answers },
  };
};
