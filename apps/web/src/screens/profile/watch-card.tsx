import { Button, Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SectionCard } from '../../components/section-card.tsx';
import { useTellProblem } from '../../components/tell-problem.ts';
import { useCall, useChange } from '../../interface/use-call.ts';
import { useTexts } from '../../language/language.tsx';
import { useMe } from '../../session/session.tsx';
import { profileTexts } from './texts.ts';

/** The user's own watch folder. */
export const WatchCard = (): ReactNode => {
  const t = useTexts(profileTexts);
  const me = useMe();
  const tell = useTellProblem();
  const { data } = useCall('get /api/users/{user_id}/watch-directory', { params: { user_id: me.id } });
  const make = useChange('post /api/users/{user_id}/watch-directory', ['get /api/users/{user_id}/watch-directory']);
  if (data === undefined) return null;
  return (
    <SectionCard title={t.watch} hint={t.watchHint}>
      {data.exists && data.watch_directory_path !== null ? (
        <Code block className="stranger">
          {data.watch_directory_path}
        </Code>
      ) : (
        <>
          <Text size="sm">{t.watchNone}</Text>
          <Button
            variant="default"
            style={{ alignSelf: 'flex-start' }}
            loading={make.isPending}
            onClick={() => make.mutate({ params: { user_id: me.id }, body: { ensure_created: true } }, { onError: tell })}
          >
            {t.watchMake}
          </Button>
        </>
      )}
    </SectionCard>
  );
};
