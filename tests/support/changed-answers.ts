const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const MAX_CHARACTERS = 60;
const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text;
};

/** Where `after` differs from `before`, with both values: pagination.total: 3 -> 9. */
const differencesOf = (before: unknown, after: unknown, path: string): string[] => {
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after))
    return Object.is(before, after) ? [] : [`${path}: ${brief(before)} -> ${brief(after)}`];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    differencesOf(before[key], after[key], path === '' ? key : `${path}.${key}`),
  );
};

const MAX_NAMED = 3;

/** A line for each question whose answer has changed, with the first few differences. Answers are JSON, by their question. */
export const changedAnswers = (before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((question) => {
    const differences = differencesOf(before[question], after[question], '');
    if (differences.length === 0) return [];
    const more = differences.length > MAX_NAMED ? `, and ${differences.length - MAX_NAMED} more` : '';
    return [`${question}: ${differences.slice(0, MAX_NAMED).join(', ')}${more}`];
  });
