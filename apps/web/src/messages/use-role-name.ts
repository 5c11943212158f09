import { useTranslator } from '../language/language.tsx';

/** Returns the name of a role in the reader's language; one that an administrator has made is called as it is. */
export const useRoleName = (): ((role: string) => string) => {
  const { find } = useTranslator();
  return (role) => find(`roles.${role}`) ?? role;
};
