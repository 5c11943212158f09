import type { Interface } from '@sheaf/contract/interface';
import {
  keepPreviousData,
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { z } from 'zod';
import { networkIdle } from './network.ts';
import { Problem, toProblem } from './problem.ts';

/** What the service can be asked, as `method path`. */
export type Operation = keyof Interface;

type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type ParamsOf<O extends Operation> = [Names<O>] extends [never] ? unknown : { readonly params: Readonly<Record<Names<O>, string>> };
type QueryOf<O extends Operation> = Interface[O] extends { readonly query: infer S extends z.ZodType }
  ? { readonly query?: z.input<S> }
  : unknown;
type BodyOf<O extends Operation> = Interface[O] extends { readonly body: infer S extends z.ZodType }
  ? { readonly body: z.input<S> }
  : unknown;

/** What goes with an operation: the parameters of its path, its query, its body. */
export type Arguments<O extends Operation> = ParamsOf<O> & QueryOf<O> & BodyOf<O> & { readonly signal?: AbortSignal };

/** What comes back; undefined where an answer has no body. */
export type Answer<O extends Operation> = Interface[O] extends { readonly response: infer S extends z.ZodType } ? z.output<S> : undefined;

interface AnyArguments {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** The name of the cookie whose value every change by cookie sends along, so that no page of others can make the browser do it. */
let csrfCookie = '';
export const setCsrfCookie = (name: string): void => {
  csrfCookie = name;
};
/** Read anew each time: another window may have signed in meanwhile. */
export const csrfHeader = (): Record<string, string> => {
  const found = document.cookie.split('; ').find((line) => line.startsWith(`${csrfCookie}=`));
  return found === undefined ? {} : { 'X-CSRF-Token': found.slice(csrfCookie.length + 1) };
};

/** The address of an operation's path with its parameters and query. */
export const addressOf = (path: string, { params = {}, query = {} }: Pick<AnyArguments, 'params' | 'query'>): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') search.set(name, String(value));
  return search.size === 0 ? filled : `${filled}?${search}`;
};

const MOST_KEPT_ALIVE = 16_000;

const ask = async <O extends Operation>(operation: O, given: Arguments<O>): Promise<Answer<O>> => {
  const [method = 'get', path = '/'] = operation.split(' ');
  const { body, signal, ...rest } = given as AnyArguments;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const request: RequestInit = {
    method: method.toUpperCase(),
    credentials: 'same-origin',
    headers: { Accept: 'application/json', ...csrfHeader(), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(text === undefined ? {} : { body: text }),
    ...(signal === undefined ? {} : { signal }),
    // a change goes on where the page is left meanwhile; browsers allow that for few bytes
    keepalive: method !== 'get' && (text ?? '').length < MOST_KEPT_ALIVE,
  };
  let response: Response;
  try {
    response = await fetch(addressOf(path, rest), request);
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw Problem.unreachable();
  }
  if (!response.ok) {
    const problem = await toProblem(response);
    noticeRefusal(problem);
    throw problem;
  }
  const answer = await response.text();
  return (answer === '' ? undefined : JSON.parse(answer)) as Answer<O>;
};

/** Asks the service. Throws Problem, also where it cannot be reached. */
export const call = <O extends Operation>(operation: O, given: Arguments<O>): Promise<Answer<O>> =>
  networkIdle.track(ask(operation, given));

/** What a refusal says of the session: that nobody knows who asks, or that they have to set up a second factor before anything else. */
type SessionRefusal = 'unknown' | 'factor-needed';

const UNAUTHORIZED = 401;

const listeners = new Set<(refusal: SessionRefusal) => void>();

/** Calls `listener` whenever an answer says so; returns what ends that. */
export const listenForSessionRefusals = (listener: (refusal: SessionRefusal) => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** What `problem` says of the session, if it does. */
export const sessionRefusalOf = ({ status, code }: Pick<Problem, 'status' | 'code'>): SessionRefusal | undefined =>
  status === UNAUTHORIZED ? 'unknown' : code === 'MFA_SETUP_REQUIRED' ? 'factor-needed' : undefined;

/** Called with each refusal. */
export const noticeRefusal = (problem: Pick<Problem, 'status' | 'code'>): void => {
  const refusal = sessionRefusalOf(problem);
  if (refusal !== undefined) for (const listener of listeners) listener(refusal);
};

/** What is given with a question. */
export type Wanted<O extends Operation> = Omit<Arguments<O>, 'signal'>;

/** Under which an answer is kept. */
export const keyOf = <O extends Operation>(operation: O, given?: Wanted<O>): readonly unknown[] =>
  given === undefined ? [operation] : [operation, given];

interface CallOptions {
  readonly enabled?: boolean;
  /** Show the answer to the last arguments until the new one is there: no flicker while paging or typing. */
  readonly keepPrevious?: boolean;
  readonly refetchIntervalMs?: number | false;
  readonly staleMs?: number;
}

/** The answer to a question, kept and shared between all who ask it. */
export const useCall = <O extends Operation>(
  operation: O,
  given: Wanted<O>,
  { enabled = true, keepPrevious = false, refetchIntervalMs = false, staleMs }: CallOptions = {},
): UseQueryResult<Answer<O>, Problem> =>
  useQuery<Answer<O>, Problem>({
    queryKey: keyOf(operation, given),
    queryFn: ({ signal }) => call(operation, { ...given, signal } as Arguments<O>),
    enabled,
    refetchInterval: refetchIntervalMs,
    ...(staleMs === undefined ? {} : { staleTime: staleMs }),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  });

/** Asks again whatever is shown of these operations. */
export const refresh = async (client: QueryClient, operations: readonly Operation[]): Promise<void> => {
  await Promise.all(operations.map((operation) => client.invalidateQueries({ queryKey: [operation] })));
};

/** A change; after it what is shown of `touches` is asked again. */
export const useChange = <O extends Operation>(
  operation: O,
  touches: readonly Operation[] = [],
): UseMutationResult<Answer<O>, Problem, Wanted<O>> => {
  const client = useQueryClient();
  return useMutation<Answer<O>, Problem, Wanted<O>>({
    mutationFn: (given) => call(operation, given as Arguments<O>),
    onSuccess: () => refresh(client, touches),
  });
};
