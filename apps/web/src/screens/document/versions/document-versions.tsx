import { ActionIcon, Alert, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ComparisonBody, VersionBody } from '@sheaf/contract/documents';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { MAX_PAGES_PER_ANSWER } from '@sheaf/vocabulary/limits';
import { IconArrowsDiff, IconDownload, IconEye, IconRestore, IconUpload, IconVersions } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, type FormEvent, type ReactNode, useRef, useState } from 'react';
import { Mark } from '../../../components/badges.tsx';
import { RowAction } from '../../../components/buttons.tsx';
import { Dialog, FormButtons } from '../../../components/dialog.tsx';
import { DocumentPicker } from '../../../components/document-picker.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { DocumentSection } from '../../../components/screen-parts.tsx';
import { SmallNote } from '../../../components/small-note.tsx';
import { useNotifyProblem } from '../../../components/use-notify-problem.ts';
import { refresh, useCall, useChange } from '../../../interface/call.ts';
import type { Problem } from '../../../interface/problem.ts';
import { replaceContent } from '../../../interface/upload.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import { SHOWS_FILE } from '../document-actions.ts';
import './compare.css';

interface LineProps {
  readonly documentId: string;
  readonly version: VersionBody;
  readonly mayChange: boolean;
  readonly onCompare: () => void;
}

/** What a browser can show of a version, below its address; undefined where there is nothing, or the page shows it already. */
const addressToShow = ({ mime_type: type, is_current: isCurrent, page_count: pageCount }: VersionBody): string | undefined => {
  const family = isCurrent ? undefined : findKindByMimeType(type)?.family;
  if (family === 'pdf' || (family === 'office' && pageCount !== null)) return 'preview';
  return family === 'text' || type === 'image/png' || type === 'image/jpeg' ? 'download?inline=true' : undefined;
};

const Line = ({ documentId, version, mayChange, onCompare }: LineProps): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const notifyProblem = useNotifyProblem();
  const restore = useChange('post /api/documents/{id}/versions/{version}/restore', SHOWS_FILE);
  const number = format.number(version.version);
  const file = `/api/documents/${documentId}/versions/${version.version}`;
  const shown = addressToShow(version);
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="xs">
      <Stack gap={0} style={{ minWidth: 0 }}>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {t('versions.version', { number })}
          </Text>
          {version.is_current && <Mark text={t('versions.current')} color="teal" />}
        </Group>
        <SmallNote className="stranger">
          {[
            format.dateTime(version.created_at),
            format.bytes(version.size),
            version.page_count === null ? null : t('versions.pages', { count: version.page_count }),
            t(`routes.${version.source}`),
            version.filename,
          ]
            .filter((part) => part !== null)
            .join(' · ')}
        </SmallNote>
      </Stack>
      <Group gap={4} wrap="nowrap">
        {!version.is_current && (
          <RowAction icon={IconArrowsDiff} title={t('versions.compare')} label={t('versions.compareOf', { number })} onClick={onCompare} />
        )}
        {shown !== undefined && (
          <ActionIcon
            component="a"
            variant="subtle"
            href={`${file}/${shown}`}
            target="_blank"
            rel="noopener"
            aria-label={t('versions.viewOf', { number })}
            title={t('documents.view')}
          >
            <IconEye size={16} />
          </ActionIcon>
        )}
        <ActionIcon
          component="a"
          variant="subtle"
          href={`${file}/download`}
          aria-label={t('versions.downloadOf', { number })}
          title={t('document.download')}
        >
          <IconDownload size={16} />
        </ActionIcon>
        {mayChange && !version.is_current && (
          <RowAction
            icon={IconRestore}
            title={t('versions.restore')}
            label={t('versions.restoreOf', { number })}
            onClick={() => restore.mutate({ params: { id: documentId, version: String(version.version) } }, { onError: notifyProblem })}
          />
        )}
      </Group>
    </Group>
  );
};

/** The files that a document has and had. */
const DocumentVersions = ({ documentId, mayChange }: { readonly documentId: string; readonly mayChange: boolean }): ReactNode => {
  const t = useTranslate();
  const { data, error, refetch } = useCall('get /api/documents/{id}/versions', { params: { id: documentId } });
  const [compared, setCompared] = useState<number>();
  const [isJoining, setJoining] = useState(false);
  const current = data?.data.find((version) => version.is_current)?.version;
  return (
    <DocumentSection title={t('versions.title')}>
      <Stack gap="sm">
        {error !== null && <ProblemNote problem={error} onRetry={() => void refetch()} />}
        <Stack gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {data?.data.map((version) => (
            <Line
              key={version.version}
              documentId={documentId}
              version={version}
              mayChange={mayChange}
              onCompare={() => setCompared(version.version)}
            />
          ))}
        </Stack>
        {mayChange && (
          <Group gap="xs">
            <NewVersionButton documentId={documentId} />
            <Button size="compact-sm" variant="default" leftSection={<IconVersions size={14} />} onClick={() => setJoining(true)}>
              {t('versions.join')}
            </Button>
          </Group>
        )}
      </Stack>
      {compared !== undefined && current !== undefined && (
        <CompareDialog documentId={documentId} older={compared} newer={current} onClose={() => setCompared(undefined)} />
      )}
      {isJoining && <JoinDialog documentId={documentId} onClose={() => setJoining(false)} />}
    </DocumentSection>
  );
};
export default DocumentVersions;

/** Chooses the document that becomes an earlier version of this one. */
const JoinDialog = ({ documentId, onClose }: { readonly documentId: string; readonly onClose: () => void }): ReactNode => {
  const t = useTranslate();
  const [older, setOlder] = useState('');
  const join = useChange('post /api/documents/{id}/versions', SHOWS_FILE);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (older !== '') join.mutate({ params: { id: documentId }, body: { document_id: older } }, { onSuccess: onClose });
  };
  return (
    <Dialog opened onClose={onClose} title={t('versions.join')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNote problem={join.error} />
          <DocumentPicker label={t('versions.older')} value={older} except={[documentId]} onChange={(id) => setOlder(id ?? '')} />
          <Text size="sm">{t('versions.joinHint')}</Text>
          <FormButtons submit={t('versions.joinNow')} isBusy={join.isPending} isIncomplete={older === ''} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
};

/** Chooses a file that becomes the newest version of a document. */
const NewVersionButton = ({ documentId }: { readonly documentId: string }): ReactNode => {
  const t = useTranslate();
  const client = useQueryClient();
  const notifyProblem = useNotifyProblem();
  const input = useRef<HTMLInputElement>(null);
  const replace = useMutation<void, Problem, File>({
    mutationFn: (file) => replaceContent(documentId, file),
    onSuccess: () => refresh(client, SHOWS_FILE),
    onError: notifyProblem,
  });
  const take = (event: ChangeEvent<HTMLInputElement>): void => {
    const [file] = event.currentTarget.files ?? [];
    if (file !== undefined) replace.mutate(file);
    event.currentTarget.value = '';
  };
  return (
    <>
      <input ref={input} type="file" hidden onChange={take} data-testid="new-version" />
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconUpload size={14} />}
        loading={replace.isPending}
        onClick={() => input.current?.click()}
      >
        {t('versions.upload')}
      </Button>
    </>
  );
};

type Page = ComparisonBody['pages'][number];

const ELEMENTS = { same: 'span', removed: 'del', added: 'ins' } as const;

const ComparedPage = ({ page: { page, change, is_detailed: isDetailed, parts } }: { readonly page: Page }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  return (
    <section>
      <Group gap="xs">
        <Title order={3} size="h6">
          {t('versions.page', { number: format.number(page) })}
        </Title>
        <SmallNote>{t(`versions.${change}`)}</SmallNote>
      </Group>
      {!isDetailed && <SmallNote>{t('versions.notDetailed')}</SmallNote>}
      {parts.length > 0 && (
        <Text component="div" size="sm" className="stranger compared">
          {parts.map(({ kind, text }, index) => {
            const Element = ELEMENTS[kind];
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no other name, and an answer does not change
            return <Element key={index}>{text}</Element>;
          })}
        </Text>
      )}
    </section>
  );
};

interface Props {
  readonly documentId: string;
  readonly older: number;
  readonly newer: number;
  readonly onClose: () => void;
}

/** What of the text has changed from one version to another, page by page. */
const CompareDialog = ({ documentId, older, newer, onClose }: Props): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [from, setFrom] = useState(1);
  const { data, error, refetch } = useCall(
    'get /api/documents/{id}/versions/{version}/compare/{other}',
    { params: { id: documentId, version: String(older), other: String(newer) }, query: { from } },
    { keepPrevious: true },
  );
  const to = Math.min(data?.total ?? 0, from + MAX_PAGES_PER_ANSWER - 1);
  const changed = data?.pages.filter(({ change }) => change !== 'same') ?? [];
  return (
    <Dialog
      opened
      onClose={onClose}
      size="xl"
      title={t('versions.compareTitle', { older: format.number(older), newer: format.number(newer) })}
    >
      <Stack gap="md">
        {error !== null && <ProblemNote problem={error} onRetry={() => void refetch()} />}
        {data === undefined && error === null && <Skeleton height={160} radius="md" />}
        {data !== undefined && changed.length === 0 && <Alert color="gray">{t('versions.noDifference')}</Alert>}
        {changed.map((page) => (
          <ComparedPage key={page.page} page={page} />
        ))}
        {data !== undefined && data.total > MAX_PAGES_PER_ANSWER && (
          <Group justify="space-between">
            <Button variant="default" size="xs" disabled={from === 1} onClick={() => setFrom(Math.max(1, from - MAX_PAGES_PER_ANSWER))}>
              {t('table.previous')}
            </Button>
            <Text size="sm" c="dimmed">
              {t('table.range', { from: format.number(from), to: format.number(to), total: format.number(data.total) })}
            </Text>
            <Button variant="default" size="xs" disabled={to >= data.total} onClick={() => setFrom(from + MAX_PAGES_PER_ANSWER)}>
              {t('table.next')}
            </Button>
          </Group>
        )}
      </Stack>
    </Dialog>
  );
};
