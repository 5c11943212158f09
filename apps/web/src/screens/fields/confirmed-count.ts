import type { Problem } from '../../interface/problem.ts';

/** How many documents lose a value, as the service said when it asked for this number; undefined where it did not ask. */
export const confirmedCount = (problem: Problem | null): number | undefined => {
  if (problem?.code !== 'FIELD_IN_USE' && problem?.code !== 'FIELD_CHOICE_IN_USE') return undefined;
  const { document_count: count } = problem.details;
  return typeof count === 'number' ? count : undefined;
};
