import { Alert } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { EVENT_TYPES } from '@sheaf/vocabulary/events';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type { Socket } from 'socket.io-client';
import { afterFirstScreen, loadPart } from '../app/late.ts';
import { refresh } from '../interface/call.ts';
import { useIsOnline } from '../interface/network.ts';
import { useTranslate } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';
import { LIVE, type LiveEvent, makeEventApplier } from './apply-event.ts';

type Listener = (event: LiveEvent) => void;

interface Events {
  readonly isConnected: boolean;
  /** Called for each event from now on; returns what ends that. */
  readonly listen: (listener: Listener) => () => void;
}

const Context = createContext<Events>({ isConnected: true, listen: () => () => undefined });

/** Whether news arrive. */
export const useIsConnected = (): boolean => useContext(Context).isConnected;

/** Calls `listener` for each event while the component is shown. */
export const useEvents = (listener: Listener): void => {
  const { listen } = useContext(Context);
  const current = useRef(listener);
  current.current = listener;
  useEffect(() => listen((event) => current.current(event)), [listen]);
};

/** Told when news begin to arrive, at first and after a break: what happened before has to be asked for. */
export const SUBSCRIBED = 'subscribed';

const AGAIN_MS = 5_000;

/** Keeps one connection for events, tells the answers that are shown what changed, and goes on after a break where it was. */
export const EventsProvider = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const client = useQueryClient();
  const { state, me } = useSession();
  const [isConnected, setConnected] = useState(true);
  const listeners = useRef(new Set<Listener>());
  const lastSeq = useRef<number | undefined>(undefined);
  const wasConnected = useRef(false);
  const isWanted = state === 'signed-in';
  const userId = me?.id;

  useEffect(() => {
    if (!isWanted || userId === undefined) return;
    let socket: Socket | undefined;
    let hasEnded = false;
    let again: ReturnType<typeof setTimeout> | undefined;
    const applyEvent = makeEventApplier(client);
    const connect = async (): Promise<void> => {
      const { io } = await loadPart(() => import('socket.io-client'));
      if (hasEnded) return;
      // the session's cookie says who it is
      socket = io({ transports: ['websocket'], reconnectionDelay: 500, reconnectionDelayMax: 5_000 });
      socket.on('connect', () => {
        setConnected(true);
        const { current } = lastSeq;
        const isFirst = !wasConnected.current;
        wasConnected.current = true;
        socket?.emit('subscribe', { events: [], ...(current === undefined ? {} : { last_seq: current }) }, () => {
          // what was shown while nobody reported changes may be old
          void (isFirst ? refresh(client, LIVE) : client.invalidateQueries());
          for (const listener of listeners.current) listener({ type: SUBSCRIBED, timestamp: '', data: {} });
        });
      });
      const lose = (): void => {
        setConnected(false);
        if (hasEnded || socket?.active === true) return;
        // the service has ended it or lets nobody in, after which nothing is tried by itself; the session may be over
        void refresh(client, ['get /api/auth/me']);
        again = setTimeout(() => socket?.connect(), AGAIN_MS);
      };
      socket.on('disconnect', lose);
      socket.on('connect_error', lose);
      for (const type of EVENT_TYPES)
        socket.on(type, (message: LiveEvent) => {
          if (typeof message.seq === 'number') lastSeq.current = Math.max(lastSeq.current ?? 0, message.seq);
          const event = { ...message, type };
          applyEvent(event);
          for (const listener of listeners.current) listener(event);
        });
    };
    // the first screen is worth more than the news about it
    const dismiss = afterFirstScreen(() => void connect());
    return () => {
      hasEnded = true;
      dismiss();
      clearTimeout(again);
      socket?.disconnect();
    };
  }, [isWanted, userId, client]);

  const [value] = useState(() => ({
    listen: (listener: Listener) => {
      listeners.current.add(listener);
      return () => void listeners.current.delete(listener);
    },
  }));
  return <Context value={useMemo(() => ({ ...value, isConnected }), [value, isConnected])}>{children}</Context>;
};

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
