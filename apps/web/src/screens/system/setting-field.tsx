import { Badge, Box, Button, Code, Group, NativeSelect, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { useChange } from '../../interface/use-call.ts';
import { useTranslator } from '../../language/language.tsx';
import { useProblemMessages } from '../../messages/use-problem-messages.ts';
import { kindOf, type SettingSchema } from './setting-kind.ts';
import { settingText } from './setting-text.ts';

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
export const SettingField = ({ name, schema, value, isStored, needsRestart, mayChange }: Props): ReactNode => {
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
