import { Button, Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SectionCard } from '../../components/section-card.tsx';
import { useNotifyProblem } from '../../components/use-notify-problem.ts';
import { useCall, useChange } from '../../interface/use-call.ts';
import { useTranslate } from '../../language/language.tsx';
import { useMe } from '../../session/session.tsx';

/** The user's own watch folder. */
export const WatchCard = (): ReactNode => {
  const t = useTranslate();
  const me = useMe();
  const notifyProblem = useNotifyProblem();
  const { data } = useCall('get /api/users/{user_id}/watch-directory', { params: { user_id: me.id } });
  const make = useChange('post /api/users/{user_id}/watch-directory', ['get /api/users/{user_id}/watch-directory']);
  if (data === undefined) return null;
  return (
    <SectionCard title={t('profile.watch')} hint={t('profile.watchHint')}>
      {data.exists && data.watch_directory_path !== null ? (
        <Code block className="stranger">
          {data.watch_directory_path}
        </Code>
      ) : (
        <>
          <Text size="sm">{t('profile.watchNone')}</Text>
          <Button
            variant="default"
            style={{ alignSelf: 'flex-start' }}
            loading={make.isPending}
            onClick={() => make.mutate({ params: { user_id: me.id }, body: { ensure_created: true } }, { onError: notifyProblem })}
          >
            {t('profile.watchMake')}
          </Button>
        </>
      )}
    </SectionCard>
  );
};
