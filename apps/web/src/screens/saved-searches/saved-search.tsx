import { IconSearchOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Redirect, useParams } from 'wouter';
import { Loading } from '../../app/late.ts';
import { ProblemNote } from '../../components/problem-note.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { useCall } from '../../interface/call.ts';
import { useTranslate } from '../../language/language.tsx';
import { addressOf } from './saved-address.ts';

const NOT_FOUND = 404;

/** Goes on to what a saved search finds: the address that notifications lead to. */
const OneSavedSearch = (): ReactNode => {
  const t = useTranslate();
  const { id } = useParams<{ id: string }>();
  const { data, error, refetch } = useCall('get /api/saved-searches/{id}', { params: { id } });
  if (data !== undefined) return <Redirect to={addressOf(data)} replace />;
  if (error === null) return <Loading />;
  return (
    <>
      <ScreenHeader title={t('savedSearches.title')} />
      {error.status === NOT_FOUND ? (
        <EmptyState icon={IconSearchOff} title={t('savedSearches.gone')} hint={t('savedSearches.goneHint')} />
      ) : (
        <ProblemNote problem={error} onRetry={() => void refetch()} />
      )}
    </>
  );
};
export default OneSavedSearch;
