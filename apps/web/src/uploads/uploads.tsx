import { Center, Paper, Text, ThemeIcon } from '@mantine/core';
import { findKindByExtension } from '@sheaf/vocabulary/file-kinds';
import { IconUpload } from '@tabler/icons-react';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { late, useIdle } from '../app/late.ts';
import { useLeaveWarning } from '../components/leave-warning.ts';
import { SUBSCRIBED, useEvents } from '../events/events.tsx';
import { type Answer, call, useCall } from '../interface/call.ts';
import { Problem } from '../interface/problem.ts';
import { useTranslate } from '../language/language.tsx';
import { useSession } from '../session/session.tsx';
import { isOnItsWay, UploadQueue } from './upload-queue.ts';

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

type Limits = Answer<'get /api/upload-limits'>;

const NOT_SENT = -1;

const refusal = (reason: string, details: Readonly<Record<string, unknown>> = {}): Problem =>
  new Problem({ status: NOT_SENT, code: 'VALIDATION_ERROR', message: reason, details: { reason, ...details } });

const extensionOf = (name: string): string => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? '';

/** Why the service would refuse the file, as it would say it; undefined where it has to see more of it than its name and size. */
const judgeFile = ({ name, size }: Pick<File, 'name' | 'size'>, limits: Limits): Problem | undefined => {
  const extension = extensionOf(name);
  if (findKindByExtension(extension) !== undefined && !limits.extensions.includes(extension))
    return refusal('type_not_allowed', { extension, allowed_types: limits.extensions });
  if (size === 0) return refusal('empty');
  return size > limits.max_file_bytes ? refusal('too_large', { max_bytes: limits.max_file_bytes }) : undefined;
};

/** Of one drop; a whole disk is not what anybody means. */
const MOST_FILES = 10_000;

const readEntries = (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> =>
  new Promise((resolve, reject) => reader.readEntries(resolve, reject));

const fileOf = (entry: FileSystemFileEntry): Promise<File> => new Promise((resolve, reject) => entry.file(resolve, reject));

const isHidden = (name: string): boolean => name.startsWith('.');

const collect = async (entry: FileSystemEntry, into: File[]): Promise<void> => {
  if (into.length >= MOST_FILES || isHidden(entry.name)) return;
  if (entry.isFile) {
    into.push(await fileOf(entry as FileSystemFileEntry));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // a reader gives a hundred at a time
  for (let entries = await readEntries(reader); entries.length > 0; entries = await readEntries(reader))
    for (const inner of entries) await collect(inner, into);
};

/** All files that were dropped, those in folders too. Must be called while the event is handled: its items are gone afterwards. */
const filesOf = async (data: DataTransfer): Promise<File[]> => {
  const entries = [...data.items].filter(({ kind }) => kind === 'file').map((item) => item.webkitGetAsEntry());
  if (entries.every((entry) => entry === null)) return [...data.files];
  const files: File[] = [];
  for (const entry of entries) if (entry !== null) await collect(entry, files);
  return files;
};
