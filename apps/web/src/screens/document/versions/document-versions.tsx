import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core';
import type { VersionBody } from '@sheaf/contract/documents';
import { findKindByMimeType } from '@sheaf/vocabulary/file-kinds';
import { IconArrowsDiff, IconDownload, IconEye, IconRestore, IconVersions } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Mark } from '../../../components/mark.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { RowAction } from '../../../components/row-action.tsx';
import { useNotifyProblem } from '../../../components/use-notify-problem.ts';
import { useCall, useChange } from '../../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../../language/language.tsx';
import { DocumentSection } from '../document-section.tsx';
import { CompareDialog } from './compare-dialog.tsx';
import { JoinDialog } from './join-dialog.tsx';
import { NewVersionButton } from './new-version-button.tsx';
import { SHOWS_FILE } from './touched.ts';

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
        <Text size="xs" c="dimmed" className="stranger">
          {[
            format.dateTime(version.created_at),
            format.bytes(version.size),
            version.page_count === null ? null : t('versions.pages', { count: version.page_count }),
            t(`routes.${version.source}`),
            version.filename,
          ]
            .filter((part) => part !== null)
            .join(' · ')}
        </Text>
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
