import { Center, Paper, Text, ThemeIcon } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { late } from '../app/late.ts';
import { useIdle } from '../app/use-idle.ts';
import { useLeaveWarning } from '../components/leave-warning.ts';
import { SUBSCRIBED, useEvents } from '../events/events.tsx';
import { call } from '../interface/call.ts';
import { useCall } from '../interface/use-call.ts';
import { useTranslate } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';
import { filesOf } from './dropped-files.ts';
import { judgeFile } from './judge-file.ts';
import { isOnItsWay } from './upload.ts';
import { UploadQueue } from './upload-queue.ts';

const UploadPanel = late(() => import('./upload-panel.tsx'));

const Context = createContext<UploadQueue | undefined>(undefined);

/** Where files go that are to be uploaded. */
export const useUploads = (): UploadQueue => {
  const queue = useContext(Context);
  if (queue === undefined) throw new Error('useUploads outside UploadsProvider');
  return queue;
};

/** They change when an administrator changes them; what is refused then is told by the service. */
const LIMITS_AGE_MS = Number.POSITIVE_INFINITY;

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;

/** Takes what is dropped anywhere in the window, or pasted; tells whether files are above it. */
const useDroppedFiles = (queue: UploadQueue, isAllowed: boolean): boolean => {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!isAllowed) return;
    let depth = 0; // a drag enters and leaves each element on its way
    const enter = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      depth -= 1;
      if (depth <= 0) setOver(false);
    };
    const over = (event: DragEvent): void => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      depth = 0;
      setOver(false);
      if (event.dataTransfer === null || !hasFiles(event)) return;
      event.preventDefault();
      void filesOf(event.dataTransfer).then((files) => queue.add(files));
    };
    const paste = (event: ClipboardEvent): void => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length === 0) return;
      event.preventDefault();
      queue.add(files);
    };
    const stop = new AbortController();
    const { signal } = stop;
    globalThis.addEventListener('dragenter', enter, { signal });
    globalThis.addEventListener('dragleave', leave, { signal });
    globalThis.addEventListener('dragover', over, { signal });
    globalThis.addEventListener('drop', drop, { signal });
    globalThis.addEventListener('paste', paste, { signal });
    return () => stop.abort();
  }, [queue, isAllowed]);
  return isOver;
};

const DropOverlay = (): ReactNode => {
  const t = useTranslate();
  return (
    <Center
      style={{
        position: 'fixed',
        inset: 12,
        zIndex: 1_000,
        pointerEvents: 'none',
        borderRadius: 16,
        border: '3px dashed var(--mantine-primary-color-filled)',
        background: 'color-mix(in srgb, var(--mantine-color-body) 80%, transparent)',
      }}
    >
      <Paper p="xl" radius="lg" shadow="md" withBorder>
        <Center mb="sm">
          <ThemeIcon size={56} radius="xl" variant="light">
            <IconUpload size={28} />
          </ThemeIcon>
        </Center>
        <Text fw={600}>{t('uploads.drop')}</Text>
      </Paper>
    </Center>
  );
};

/** Why a document could not be read, out of what has changed of it. */
const failureOf = (changes: unknown): { code: string; message: string } | undefined => {
  const { status, error } = (changes ?? {}) as {
    readonly status?: unknown;
    readonly error?: { readonly code?: unknown; readonly message?: unknown };
  };
  if (status !== 'failed' || typeof error?.code !== 'string' || typeof error.message !== 'string') return undefined;
  return { code: error.code, message: error.message };
};

/** Asks what became of documents while nobody told. */
const catchUp = async (queue: UploadQueue): Promise<void> => {
  for (const id of queue.unreadDocuments()) {
    const document = await call('get /api/documents/{id}', { params: { id } }).catch(() => undefined);
    if (document?.error) queue.explain(id, document.error);
    else if (document !== undefined) queue.follow(id, document.status, 0);
  }
};

/** Uploads from anywhere in the client, which go on while one walks through it. */
export const UploadsProvider = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const { may, state } = useSession();
  const [queue] = useState(() => new UploadQueue());
  // two facts and not the whole queue, which changes many times a second
  const hasUploads = useSyncExternalStore(queue.subscribe, () => queue.view().uploads.length > 0);
  const isBusy = useSyncExternalStore(queue.subscribe, () => queue.view().uploads.some(isOnItsWay));
  const mayUpload = may('documents.create');
  const isOver = useDroppedFiles(queue, mayUpload);
  useEffect(() => {
    if (state === 'signed-in') queue.resume();
  }, [state, queue]);
  useLeaveWarning(isBusy);
  const limits = useCall('get /api/upload-limits', {}, { enabled: mayUpload, staleMs: LIMITS_AGE_MS }).data;
  useEffect(() => {
    if (limits !== undefined) queue.judgeBy((file) => judgeFile(file, limits));
  }, [limits, queue]);
  useIdle(() => {
    if (mayUpload) UploadPanel.prepare(); // it tells also of a network that is away
  });
  useEvents(({ type, data }) => {
    if (type === SUBSCRIBED) void catchUp(queue);
    const { document_id: id, status, progress } = data;
    const failure = failureOf(data['changes']);
    if (type === 'document_updated' && typeof id === 'string' && failure !== undefined) queue.explain(id, failure);
    if (type === 'ocr_progress' && typeof id === 'string' && typeof status === 'string') queue.follow(id, status, Number(progress));
  });
  return (
    <Context value={queue}>
      {children}
      {isOver && <DropOverlay />}
      {hasUploads && <UploadPanel.Part queue={queue} />}
    </Context>
  );
};
