import { useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { useCall } from '../interface/use-call.ts';
import { LanguageProvider } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';

/** Language and colours as the user chose them; as his browser and system have them before he signs in. */
export const Preferences = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const { state, me } = useSession();
  const mayAsk = state === 'signed-in' && me?.mfa_setup_required !== true;
  const { data } = useCall('get /api/settings', {}, { enabled: mayAsk, staleMs: Number.POSITIVE_INFINITY });
  const { setColorScheme } = useMantineColorScheme();
  const chosen = data?.theme;
  useEffect(() => {
    if (chosen !== undefined) setColorScheme(chosen);
  }, [chosen, setColorScheme]);
  return <LanguageProvider wanted={data?.language === 'auto' ? undefined : data?.language}>{children}</LanguageProvider>;
};
