import {
  Alert,
  Badge,
  Box,
  Button,
  Card,
  Code,
  Group,
  NativeSelect,
  NumberInput,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { IconForms, IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { FindField } from '../../components/list-filters.tsx';
import { ProblemNote, useProblemMessages } from '../../components/problem-note.tsx';
import { EmptyState, ScreenHeader } from '../../components/screen-parts.tsx';
import { useCall, useChange } from '../../interface/call.ts';
import { useTranslator } from '../../language/language.tsx';
import { useSession } from '../../session/session.tsx';
import { bySection, kindOf, readSettingSchemas, type SettingSchema, settingText } from './setting-kind.ts';

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

interface Props {
  readonly name: string;
  readonly schema: SettingSchema;
  readonly value: unknown;
  readonly isStored: boolean;
  readonly needsRestart: boolean;
  readonly mayChange: boolean;
}

const toText = (value: unknown): string =>
  Array.isArray(value) ? value.join(', ') : value === undefined || value === null ? '' : (value as string);

/** A list is typed as a text; it is one again when it is kept. */
const toDraft = (value: unknown): unknown => (Array.isArray(value) ? toText(value) : value);

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** One system setting: what it means, what it is, and the way to change it. */
const SettingField = ({ name, schema, value, isStored, needsRestart, mayChange }: Props): ReactNode => {
  const { t, find } = useTranslator();
  const { ofProblem, ofIssue } = useProblemMessages();
  const kind = kindOf(schema);
  const [draft, setDraft] = useState<unknown>(toDraft(value));
  const change = useChange('put /api/settings', ['get /api/settings']);
  const before = JSON.stringify(value ?? null);
  // what others change shows, unless something is being typed here
  useEffect(() => setDraft(toDraft(JSON.parse(before))), [before]);
  const isTouched = JSON.stringify(draft ?? null) !== JSON.stringify(toDraft(value) ?? null);
  const keep = (next: unknown): void => change.mutate({ body: { system: { [name]: next } } });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    keep(kind === 'list' ? listOf(String(draft)) : draft);
  };
  const [issue] = change.error?.issues ?? [];
  const problem = change.error === null ? undefined : issue === undefined ? ofProblem(change.error) : ofIssue(issue);
  const { title, meaning } = settingText(find, name, schema);
  const common = { 'aria-label': title, error: problem, disabled: !mayChange };
  return (
    <Box component="li" className="setting">
      <form onSubmit={submit}>
        <Group justify="space-between" align="flex-start" gap="md">
          <Stack gap={4} style={{ flex: '1 1 280px', minWidth: 0 }}>
            <Group gap="xs">
              <Text fw={500}>{title}</Text>
              {isStored && (
                <Badge size="sm" variant="light" tt="none">
                  {t('system.changedHere')}
                </Badge>
              )}
              {needsRestart && (
                <Badge size="sm" variant="light" color="yellow" tt="none">
                  {t('system.restart')}
                </Badge>
              )}
            </Group>
            <Text size="sm" c="dimmed" className="setting-meaning">
              {meaning}
            </Text>
            <Code style={{ alignSelf: 'flex-start' }}>{name}</Code>
          </Stack>
          <Stack gap={6} style={{ flex: '0 1 300px', minWidth: 200 }}>
            {kind === 'boolean' && <Switch {...common} checked={draft === true} onChange={(event) => keep(event.currentTarget.checked)} />}
            {kind === 'number' && (
              <NumberInput
                {...common}
                value={typeof draft === 'number' ? draft : ''}
                onChange={(next) => setDraft(Number(next))}
                {...(schema.minimum === undefined ? {} : { min: schema.minimum })}
                {...(schema.maximum === undefined ? {} : { max: schema.maximum })}
                clampBehavior="none"
              />
            )}
            {kind === 'choice' && (
              <NativeSelect
                {...common}
                data={[...(schema.enum ?? [])]}
                value={toText(draft)}
                onChange={(event) => keep(event.currentTarget.value)}
              />
            )}
            {kind === 'list' && (
              <TextInput
                {...common}
                description={t('system.listHint')}
                value={toText(draft)}
                onChange={(event) => setDraft(event.currentTarget.value)}
              />
            )}
            {kind === 'text' && <TextInput {...common} value={toText(draft)} onChange={(event) => setDraft(event.currentTarget.value)} />}
            <Group gap="xs" justify="flex-end">
              {isStored && mayChange && (
                <Button size="compact-xs" variant="subtle" onClick={() => keep(null)} aria-label={t('system.resetOf', { name: title })}>
                  {t('system.reset')}
                </Button>
              )}
              {isTouched && kind !== 'boolean' && kind !== 'choice' && (
                <Button size="compact-xs" type="submit" loading={change.isPending}>
                  {t('system.save')}
                </Button>
              )}
            </Group>
          </Stack>
        </Group>
      </form>
    </Box>
  );
};
