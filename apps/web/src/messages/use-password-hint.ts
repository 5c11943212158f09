import { useTranslate } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';

/** All rules for a new password in a line; undefined until they are known. */
export const usePasswordHint = (): string | undefined => {
  const t = useTranslate();
  const rules = useSession().options?.password_rules;
  if (rules === undefined) return undefined;
  return t('registration.passwordHint', {
    minimum: rules.min_length,
    number: rules.require_numbers ? 'yes' : 'no',
    special: rules.require_special ? 'yes' : 'no',
  });
};
