import { Alert, Button, Card, Skeleton, Stack, Title } from '@mantine/core';
import { IconForms, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { EmptyState } from '../../components/empty-state.tsx';
import { FindField } from '../../components/find-field.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { ScreenHeader } from '../../components/screen-header.tsx';
import { useCall } from '../../interface/use-call.ts';
import { useTranslator } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { SettingField } from './setting-field.tsx';
import { bySection, readSettingSchemas, type SettingSchema } from './setting-kind.ts';
import { settingText } from './setting-text.ts';

/** What holds for everybody and can be changed while the service runs. */
const System = (): ReactNode => {
  const { t, find } = useTranslator();
  const sectionName = (section: string): string => find(`settingSections.${section}`) ?? section;
  const { may } = useSession();
  const [typed, setTyped] = useState('');
  const settings = useCall('get /api/settings', {});
  const schemas = useQuery({ queryKey: ['system setting schemas'], queryFn: readSettingSchemas, staleTime: Number.POSITIVE_INFINITY });
  const { system, stored = [], restart_required: restart = [] } = settings.data ?? {};
  const wanted = typed.trim().toLowerCase();
  const isWanted = ([name, schema]: [string, SettingSchema]): boolean => {
    const { title, meaning } = settingText(find, name, schema);
    return `${name} ${title} ${meaning}`.toLowerCase().includes(wanted);
  };
  const shown = Object.entries(schemas.data ?? {}).filter(isWanted);
  const restartNames = restart.map((name) => settingText(find, name, schemas.data?.[name]).title);
  return (
    <>
      <ScreenHeader title={t('system.title')} hint={t('system.hint')}>
        <Button variant="default" component={Link} href="/system/fields" leftSection={<IconForms size={16} />}>
          {t('customFields.title')}
        </Button>
      </ScreenHeader>
      {settings.data === undefined && settings.error !== null && (
        <ProblemNote problem={settings.error} onRetry={() => void settings.refetch()} />
      )}
      {restart.length > 0 && (
        <Alert color="yellow" mb="md" role="status">
          {t('system.restartNeeded', { names: restartNames.join(', ') })}
        </Alert>
      )}
      <FindField label={t('system.find')} value={typed} onChange={setTyped} mb="md" maw={420} />
      {system === undefined || schemas.data === undefined ? (
        settings.error === null && <Skeleton height={400} radius="md" />
      ) : (
        <Stack gap="xl">
          {[...bySection(shown)].map(([section, settingsOfSection]) => (
            <section key={section} aria-label={sectionName(section)}>
              <Title order={2} size="h4" mb="sm">
                {sectionName(section)}
              </Title>
              <Card withBorder padding={0} component="ul" m={0} style={{ listStyle: 'none' }}>
                {settingsOfSection.map(([name, schema]) => (
                  <SettingField
                    key={name}
                    name={name}
                    schema={schema}
                    value={system[name]}
                    isStored={stored.includes(name)}
                    needsRestart={restart.includes(name)}
                    mayChange={may('settings.update')}
                  />
                ))}
              </Card>
            </section>
          ))}
          {shown.length === 0 && <EmptyState icon={IconSettings} title={t('system.none')} />}
        </Stack>
      )}
    </>
  );
};
export default System;
