import { Alert } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlugConnectedX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useIsOnline } from '../interface/use-is-online.ts';
import { useTranslate } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';
import { useIsConnected } from './events.tsx';

/** A break of a moment is nobody's business. */
const PATIENCE_MS = 2_000;

/** Says that the connection is lost, until it is back. */
export const ConnectionNote = (): ReactNode => {
  const t = useTranslate();
  const { state } = useSession();
  const isConnected = useIsConnected();
  const [wasConnected] = useDebouncedValue(isConnected, PATIENCE_MS);
  const isOnline = useIsOnline();
  const isShown = (!isOnline || (!isConnected && !wasConnected)) && state === 'signed-in';
  return (
    <div aria-live="polite">
      {isShown && (
        <Alert color="yellow" mb="md" icon={<IconPlugConnectedX />}>
          {t('shell.connectionLost')}
        </Alert>
      )}
    </div>
  );
};
