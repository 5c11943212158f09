import { AndFilter, ApproximateFilter, EqualityFilter, ExtensibleFilter, type Filter, FilterParser, NotFilter, OrFilter } from 'ldapts';

/** A search filter with one place left open. What is put in is data: nothing in it can become syntax. */
export type FilterTemplate = (value: string) => Filter;

/**
 * Parses `template` once, with `{placeholder}` standing where a value stands. Throws, in words for the operator, when it is no
 * filter, when the placeholder is missing, and when it stands in a pattern with `*`.
 */
export const parseFilterTemplate = (template: string, placeholder: string): FilterTemplate => {
  const open = `{${placeholder}}`;
  const tree = parseFilter(template);
  const fill: FilterTemplate = (value) => replaceValues(tree, (text) => text.replaceAll(open, () => value));
  if (!tree.toString().includes(open)) throw new Error(`must contain the placeholder ${open} as a value, such as (uid=${open})`);
  // A name typed in part must not find a person, so only values that are compared whole are filled.
  if (fill('').toString().includes(open)) throw new Error(`must not combine ${open} with * or a range`);
  return fill;
};

/** The attribute that a template compares with the open place alone, first one first: `uid` of `(uid={username})`. */
export const findComparedAttribute = (template: string, placeholder: string): string | undefined => {
  const search = (filter: Filter): string | undefined => {
    if (filter instanceof EqualityFilter) return filter.value === `{${placeholder}}` ? filter.attribute : undefined;
    if (!(filter instanceof AndFilter || filter instanceof OrFilter)) return undefined;
    return filter.filters.map(search).find((attribute) => attribute !== undefined);
  };
  return search(parseFilter(template));
};

const parseFilter = (template: string): Filter => {
  try {
    return FilterParser.parseString(template.trim());
  } catch (error) {
    throw new Error(`is not a valid search filter (${error instanceof Error ? error.message : 'unknown'})`, { cause: error });
  }
};

/** A copy of `filter` in which `change` was applied to every value that is compared whole. */
const replaceValues = (filter: Filter, change: (text: string) => string): Filter => {
  const inner = (one: Filter): Filter => replaceValues(one, change);
  if (filter instanceof AndFilter) return new AndFilter({ filters: filter.filters.map(inner) });
  if (filter instanceof OrFilter) return new OrFilter({ filters: filter.filters.map(inner) });
  if (filter instanceof NotFilter) return new NotFilter({ filter: inner(filter.filter) });
  if (filter instanceof ExtensibleFilter) {
    const { rule, matchType, dnAttributes } = filter;
    return new ExtensibleFilter({ rule, matchType, dnAttributes, value: change(filter.value) });
  }
  if (filter instanceof EqualityFilter && typeof filter.value === 'string')
    return new EqualityFilter({ attribute: filter.attribute, value: change(filter.value) });
  if (filter instanceof ApproximateFilter) return new ApproximateFilter({ attribute: filter.attribute, value: change(filter.value) });
  return filter;
};
