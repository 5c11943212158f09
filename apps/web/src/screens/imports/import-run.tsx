import { Progress, Stack, Text } from '@mantine/core';
import type { ImportBody } from '@sheaf/contract/imports';
import { type ReactNode, useState } from 'react';
import { Mark } from '../../components/mark.tsx';
import { useEvents } from '../../events/events.tsx';
import { useFormat, useTranslate } from '../../language/language.tsx';

export const STATE_COLORS = { queued: 'gray', running: 'blue', completed: 'teal', failed: 'red', cancelled: 'yellow' } as const;

export const isOpen = ({ state }: Pick<ImportBody, 'state'>): boolean => state === 'queued' || state === 'running';

interface Reached {
  readonly done: number;
  readonly total: number | null;
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** How far a running import is, by the moment. */
const Running = ({ run }: { readonly run: ImportBody }): ReactNode => {
  const t = useTranslate();
  const format = useFormat();
  const [live, setLive] = useState<Reached>();
  useEvents(({ type, data }) => {
    if (type === 'import_progress' && data['import_id'] === run.id)
      setLive({ done: numberOf(data['done']) ?? 0, total: numberOf(data['total']) });
  });
  const { done, total } = live !== undefined && live.done > run.done ? live : run;
  const share = total === null || total === 0 ? undefined : Math.min(1, done / total);
  const phase = run.phase ?? 'waiting';
  return (
    <Stack gap={4} role="status">
      <Progress value={share === undefined ? 100 : share * 100} animated={share === undefined} aria-label={t('imports.progress')} />
      <Text size="xs" c="dimmed">
        {t(`imports.phase.${phase}`)}
        {done > 0 &&
          ` · ${total === null ? format.number(done) : t('imports.reached', { done: format.number(done), total: format.number(total) })}`}
      </Text>
    </Stack>
  );
};

/** The state of an import, and how far it is while it runs. */
export const ImportState = ({ run }: { readonly run: ImportBody }): ReactNode => {
  const t = useTranslate();
  return (
    <Stack gap={6} align="stretch">
      <Mark text={t(`imports.state.${run.state}`)} color={STATE_COLORS[run.state]} />
      {isOpen(run) && <Running run={run} />}
      {run.error !== null && run.state === 'failed' && (
        <Text size="xs" c="red" className="stranger">
          {run.error}
        </Text>
      )}
    </Stack>
  );
};
