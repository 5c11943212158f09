import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

/** What a field shows and changes that stands for one name of the address. */
interface Bound {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

type Changes<K extends string> = Partial<Record<K, string | undefined>>;

/** What an address says with `changes` made to it; what is undefined or empty goes. */
export const withChanges = (search: string, changes: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') query.delete(name);
    else query.set(name, value);
  }
  return query.toString();
};

/** Which page of a list an address means, whatever stands in it. */
export const pageOf = ({ page }: { readonly page?: string }): number => Math.max(1, Math.trunc(Number(page ?? 1)) || 1);

/**
 * What a screen shows, kept in the address so that it can be linked and gone back to. A change of anything but `page` starts at
 * the first page; `replace` leaves no step to go back to, for what changes while one types. The third binds a field to a name.
 */
export const useAddressState = <K extends string>(
  names: readonly K[],
): readonly [
  Readonly<Partial<Record<K, string>>>,
  (changes: Changes<K>, options?: { readonly replace?: boolean }) => void,
  (name: K) => Bound,
] => {
  const search = useSearch();
  const [location, navigate] = useLocation();
  const known = names.join(' ');
  const state = useMemo(() => {
    const query = new URLSearchParams(search);
    return Object.fromEntries(known.split(' ').flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? '']] : []))) as Partial<
      Record<K, string>
    >;
  }, [search, known]);
  const change = useCallback(
    (changes: Changes<K>, { replace = false }: { readonly replace?: boolean } = {}) => {
      const next = withChanges(search, 'page' in changes ? changes : { page: undefined, ...changes });
      navigate(next === '' ? location : `${location}?${next}`, { replace });
    },
    [search, location, navigate],
  );
  const bind = (name: K): Bound => ({ value: state[name], onChange: (value) => change({ [name]: value } as Changes<K>) });
  return [state, change, bind];
};
