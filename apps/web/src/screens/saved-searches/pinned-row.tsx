import { Button, Group, Skeleton, Text } from '@mantine/core';
import { IconBookmark } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useTranslate } from '../../language/language.tsx';
import { useMe } from '../../session/session.tsx';
import { ResultCount } from './pinned-nav.tsx';
import { addressOf } from './saved-address.ts';
import { hadPins, usePinned } from './use-pinned.ts';

const HEIGHT = 36;

/** The pinned searches above the documents. */
const PinnedRow = (): ReactNode => {
  const t = useTranslate();
  const { id } = useMe();
  const pinned = usePinned();
  if (pinned === undefined) return hadPins(id) ? <Skeleton height={HEIGHT} mb="md" /> : null;
  if (pinned.length === 0) return null;
  return (
    <Group component="nav" aria-label={t('savedSearches.pinnedTitle')} gap="xs" mb="md" wrap="nowrap" style={{ overflowX: 'auto' }}>
      {pinned.map((one) => (
        <Button
          key={one.id}
          component={Link}
          href={addressOf(one)}
          variant="default"
          h={HEIGHT}
          maw={260}
          style={{ flex: 'none' }}
          leftSection={<IconBookmark size={16} aria-hidden />}
          rightSection={<ResultCount search={one} />}
        >
          <Text span inherit truncate className="stranger" title={one.name}>
            {one.name}
          </Text>
        </Button>
      ))}
    </Group>
  );
};
export default PinnedRow;
