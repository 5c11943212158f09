import { ACTIONS, scopeOf } from '@sheaf/vocabulary/permissions';
import { useTranslator } from '../language/language.tsx';

interface DescribedRole {
  readonly name: string;
  readonly is_built_in: boolean;
  readonly is_changed: boolean;
  readonly permissions: readonly string[];
}

/** Returns what users with a role can do, in a line: in a sentence for a built-in one, by its permissions for any other. */
export const useRoleHint = (): ((role: DescribedRole) => string) => {
  const { t, find } = useTranslator();
  return ({ name, is_built_in: isBuiltIn, is_changed: isChanged, permissions }) => {
    const sentence = isBuiltIn && !isChanged ? find(`roleHints.${name}`) : undefined;
    if (sentence !== undefined) return sentence;
    const actions = ACTIONS.flatMap((action) => {
      const scope = scopeOf(permissions, action);
      if (scope === 'none') return [];
      return [scope === 'own' ? `${t(`permissions.${action}`)} (${t('roleScreen.ownOnly')})` : t(`permissions.${action}`)];
    });
    return actions.length === 0 ? t('roleScreen.nothing') : actions.join(', ');
  };
};
