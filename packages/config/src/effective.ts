import type { Origin, RawValues } from './layers.ts';
import { VARIABLES, type VariableName } from './variables.ts';

export interface EffectiveValue {
  /** `***` for a secret, unless secrets are wanted. */
  readonly value: string;
  readonly origin: Origin;
  readonly isSecret: boolean;
}

/** Every variable that somebody set, by its own name, with its value and where that came from. */
export const effectiveValues = (
  raw: RawValues,
  { withSecrets }: { readonly withSecrets: boolean },
): Partial<Record<VariableName, EffectiveValue>> =>
  Object.fromEntries(
    Object.entries(VARIABLES).flatMap(([name, { type }]) => {
      const given = raw[name as VariableName];
      if (given === undefined || given.origin === 'default') return [];
      const isSecret = type === 'secret';
      return [[name, { value: isSecret && !withSecrets ? '***' : given.text, origin: given.origin, isSecret }]];
    }),
  );
