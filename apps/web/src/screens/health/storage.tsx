import { Alert, Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SectionCard } from '../../components/section-card.tsx';
import { SmallNote } from '../../components/small-note.tsx';
import type { Answer } from '../../interface/call.ts';
import { useCall } from '../../interface/use-call.ts';
import { useFormat, useTranslate } from '../../language/language.tsx';

type Report = Answer<'get /api/health/storage'>;
type Disk = Report['disks'][number];

const REFRESH_MS = 30_000;

const DiskUse = ({ disk, threshold }: { readonly disk: Disk; readonly threshold: number }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const uses = disk.uses.map((use) => t(`storage.uses.${use}`)).join(', ');
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={500}>
          {uses}
        </Text>
        <Text size="sm">{t('storage.free', { free: format.bytes(disk.free), size: format.bytes(disk.size) })}</Text>
      </Group>
      <Progress
        value={disk.usage}
        color={disk.is_above_threshold ? 'red' : undefined}
        aria-label={`${t('storage.disk')}: ${uses}, ${format.percent(disk.usage / 100)}`}
      />
      <SmallNote className="stranger">
        {disk.path} · {t('storage.threshold', { percent: format.percent(threshold / 100) })}
      </SmallNote>
    </Stack>
  );
};

/** Where documents are stored, how much they take and how full the disks are. */
export const Storage = (): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const { data } = useCall('get /api/health/storage', {}, { refetchIntervalMs: REFRESH_MS });
  if (data === undefined) return null;
  return (
    <SectionCard title={t('storage.title')} hint={t(`storage.${data.type}`)}>
      <Stack gap={2}>
        {data.places.map((place) => (
          <Text key={place} size="sm" className="stranger">
            {place}
          </Text>
        ))}
        <Text size="sm">
          {t('documents.count', { count: data.documents })} · {t('storage.size', { size: format.bytes(data.documents_bytes) })}
        </Text>
      </Stack>
      {data.disks.map((disk) => (
        <DiskUse key={disk.path} disk={disk} threshold={data.warning_threshold} />
      ))}
      {data.backups_share_disk && <Alert color="yellow">{t('backups.sameDisk')}</Alert>}
    </SectionCard>
  );
};
