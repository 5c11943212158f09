import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Answer } from '../interface/call.ts';

type Me = Answer<'get /api/auth/me'>;

interface Shown {
  readonly shown: Me | undefined;
  readonly isFactorNeeded: boolean;
}

/**
 * Who has worked here stays who he was, with all his rights, when a second factor begins to be demanded of him: his screens stay as they are, with what
 * he has typed, until he has set one up.
 */
export const useUntilFactorNeeded = (me: Me | undefined): Shown => {
  const client = useQueryClient();
  const before = useRef<Me>(undefined);
  const isDemanded = me?.mfa_setup_required === true;
  if (!isDemanded) before.current = me;
  const isFactorNeeded = isDemanded && before.current?.id === me.id;
  const wasNeeded = useRef(false);
  useEffect(() => {
    // what was refused meanwhile
    if (wasNeeded.current && !isFactorNeeded) void client.invalidateQueries();
    wasNeeded.current = isFactorNeeded;
  }, [isFactorNeeded, client]);
  return { shown: isFactorNeeded ? before.current : me, isFactorNeeded };
};
