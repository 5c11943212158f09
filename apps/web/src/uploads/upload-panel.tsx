import { ActionIcon, Alert, Anchor, Box, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import {
  IconAlertCircle,
  IconChevronDown,
  IconChevronUp,
  IconCircleCheck,
  IconCopy,
  IconFile,
  IconRestore,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, type RefObject, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { useProblemMessages } from '../components/problem-note.tsx';
import { useNotifyProblem } from '../components/use-notify-problem.ts';
import { useChange } from '../interface/call.ts';
import { useFormat, useTranslate } from '../language/language.tsx';
import { CodeMessage } from '../messages/code-message.tsx';
import { failuresFirst, hasFailed, isCancellable, isSettled, isWorthRetry, type Upload, type UploadQueue } from './upload-queue.ts';

const LINE_PX = 64;
const MOST_PX = 320;
const GAP_PX = 16;
const HEIGHT = '--sheaf-upload-panel';

const PAUSE_WORDS = { asked: 'pausedUntil', offline: 'pausedOffline', signedOut: 'pausedSignedOut' } as const;

const signOf = (state: Upload['state']): ReactNode => {
  if (state === 'read') return <IconCircleCheck size={20} color="var(--mantine-color-teal-7)" aria-hidden />;
  if (state === 'restored') return <IconRestore size={20} color="var(--mantine-color-teal-7)" aria-hidden />;
  if (state === 'trashed') return <IconTrash size={20} color="var(--mantine-color-blue-6)" aria-hidden />;
  if (state === 'duplicate') return <IconCopy size={20} color="var(--mantine-color-blue-6)" aria-hidden />;
  if (state === 'failed' || state === 'notRead') return <IconAlertCircle size={20} color="var(--mantine-color-red-6)" aria-hidden />;
  return <IconFile size={20} color="var(--mantine-color-dimmed)" aria-hidden />;
};

const useStatusText = ({ state, share, problem }: Upload): string => {
  const t = useTranslate();
  const format = useFormat();
  const { ofProblem } = useProblemMessages();
  if (state === 'sending') return t('uploads.sending', { percent: format.percent(share) });
  if (state === 'reading') return t('uploads.reading', { percent: format.percent(share) });
  if (state === 'failed' && problem?.code === 'UNREADABLE') return t('uploads.unreadable');
  if (state === 'failed') return problem === undefined ? t('uploads.failed') : ofProblem(problem);
  return t(`uploads.${state}`);
};

const RestoreButton = ({ id, documentId, queue }: { readonly id: number; readonly documentId: string; readonly queue: UploadQueue }) => {
  const t = useTranslate();
  const notifyProblem = useNotifyProblem();
  const restore = useChange('post /api/trash/{id}/restore', ['get /api/documents', 'get /api/trash']);
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      loading={restore.isPending}
      onClick={() => restore.mutate({ params: { id: documentId } }, { onSuccess: () => queue.restored(id), onError: notifyProblem })}
    >
      {t('uploads.restore')}
    </Button>
  );
};

const Line = memo(({ upload, queue }: { readonly upload: Upload; readonly queue: UploadQueue }): ReactNode => {
  const t = useTranslate();
  const status = useStatusText(upload);
  const { id, file, state, share, documentId, failure } = upload;
  const isBusy = state === 'sending' || state === 'reading';
  return (
    <Group gap="sm" wrap="nowrap" px="sm" h={LINE_PX} data-upload={state}>
      {signOf(state)}
      <Stack gap={2} style={{ minWidth: 0, flex: 1 }}>
        <Text size="sm" className="stranger" lineClamp={1}>
          {file.name}
        </Text>
        <Text size="xs" c={hasFailed(upload) ? 'red' : 'dimmed'} className="stranger" lineClamp={isBusy ? 1 : 2} title={status}>
          {failure === undefined ? status : <CodeMessage namespace="failures" code={failure.code} message={failure.message} />}
        </Text>
        {isBusy && <Progress value={share * 100} size="xs" aria-label={`${file.name}: ${status}`} />}
      </Stack>
      {state === 'trashed' && documentId !== undefined && <RestoreButton id={id} documentId={documentId} queue={queue} />}
      {state !== 'trashed' && documentId !== undefined && (
        <Anchor
          component={Link}
          href={`/documents/${documentId}`}
          size="xs"
          aria-label={`${state === 'duplicate' ? t('uploads.show') : t('uploads.open')}: ${file.name}`}
        >
          {state === 'duplicate' ? t('uploads.show') : t('uploads.open')}
        </Anchor>
      )}
      {isWorthRetry(upload) && (
        <Button size="compact-xs" variant="subtle" onClick={() => queue.retry(id)}>
          {t('uploads.retry')}
        </Button>
      )}
      {isCancellable(upload) && (
        <ActionIcon variant="subtle" color="gray" onClick={() => queue.cancel(id)} aria-label={t('uploads.cancel', { name: file.name })}>
          <IconX size={16} />
        </ActionIcon>
      )}
    </Group>
  );
});
Line.displayName = 'Line';

/** Tells the style sheet how high the panel is, so that short messages appear above it and cover nothing of it. */
const useReservedHeight = (panel: RefObject<HTMLElement | null>): void => {
  useLayoutEffect(() => {
    const element = panel.current;
    if (element === null) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(() => style.setProperty(HEIGHT, `${element.offsetHeight + GAP_PX}px`));
    observer.observe(element);
    return () => {
      observer.disconnect();
      style.removeProperty(HEIGHT);
    };
  }, [panel]);
};

/** What becomes of each file that is being uploaded, in a corner of the window. */
const UploadPanel = ({ queue }: { readonly queue: UploadQueue }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { uploads, pause } = useSyncExternalStore(queue.subscribe, queue.view);
  const lines = useMemo(() => failuresFirst(uploads), [uploads]);
  const [isFolded, setFolded] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLElement>(null);
  useReservedHeight(panel);
  const virtual = useVirtualizer({
    count: uploads.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 4,
  });
  const done = uploads.filter(isSettled).length;
  const failures = uploads.filter(hasFailed).length;
  return (
    <Paper
      ref={panel}
      withBorder
      shadow="lg"
      radius="md"
      component="section"
      aria-label={t('uploads.upload')}
      style={{
        position: 'fixed',
        insetInlineEnd: GAP_PX,
        insetBlockEnd: GAP_PX,
        width: 'min(400px, calc(100vw - 32px))',
        zIndex: 150,
        overflow: 'hidden',
      }}
    >
      <Group justify="space-between" p="xs" ps="sm" wrap="nowrap" style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}>
        <Text size="sm" fw={600} role="status">
          {`${t('uploads.summary', { done: format.number(done), all: format.number(uploads.length) })}${failures === 0 ? '' : `, ${t('uploads.failedCount', { count: failures })}`}`}
        </Text>
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={() => setFolded(!isFolded)}
            aria-label={isFolded ? t('uploads.unfold') : t('uploads.fold')}
            aria-expanded={!isFolded}
          >
            {isFolded ? <IconChevronUp size={16} /> : <IconChevronDown size={16} />}
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={() => queue.clearSettled()}
            aria-label={t('uploads.clear')}
            title={t('uploads.clear')}
            disabled={done === 0}
          >
            <IconX size={16} />
          </ActionIcon>
        </Group>
      </Group>
      {!isFolded && (
        <>
          {pause !== undefined && (
            <Alert color="yellow" p="xs" radius={0}>
              <Text size="xs">{t(`uploads.${PAUSE_WORDS[pause]}`)}</Text>
            </Alert>
          )}
          <Box
            ref={scroller}
            mah={MOST_PX}
            tabIndex={0}
            role="group"
            aria-label={t('uploads.title', { count: uploads.length })}
            style={{ overflowY: 'auto' }}
          >
            <div style={{ position: 'relative', height: virtual.getTotalSize() }}>
              {virtual.getVirtualItems().map(({ index, start }) => {
                const upload = lines[index];
                return (
                  upload !== undefined && (
                    <div key={upload.id} style={{ position: 'absolute', insetInline: 0, top: 0, transform: `translateY(${start}px)` }}>
                      <Line upload={upload} queue={queue} />
                    </div>
                  )
                );
              })}
            </div>
          </Box>
        </>
      )}
    </Paper>
  );
};
export default UploadPanel;
