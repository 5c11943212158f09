import {
  keepPreviousData,
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type Answer, type Arguments, call, type Operation } from './call.ts';
import type { Problem } from './problem.ts';

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
