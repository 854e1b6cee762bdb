/** What the current page publishes to the assistant: its purpose, its tools and its content. */
import { Alert, Code, Group, Stack, Text, Title } from '@mantine/core';
import { t } from '../../ui/i18n.ts';
import { type PageContext, usePublishedContext } from '../../ui/pageContext.ts';
import classes from './AssistantPanel.module.css';

export default function PageKnowledge() {
  const { context, error } = usePublishedContext();
  return (
    // Scrollable, so it must be focusable by keyboard.
    <section className={classes.body} aria-label={t('What the assistant knows')} tabIndex={0}>
      {error !== null && (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      {context === null && error === null && <Text c="dimmed">{t('No page context available')}</Text>}
      {context !== null && <Context context={context} />}
    </section>
  );
}

function Context({ context }: { context: PageContext }) {
  return (
    <Stack gap="md">
      <section>
        <Title order={3}>{t('This page')}</Title>
        <Text>{context.description}</Text>
      </section>
      <section>
        <Title order={3}>{t('What can be done here')}</Title>
        {context.tools.length === 0 ? (
          <Text c="dimmed">{t('Nothing yet')}</Text>
        ) : (
          <Stack gap="xs" component="ul" className={classes.tools}>
            {context.tools.map((tool) => (
              <li key={tool.name}>
                <Group gap="xs">
                  <Code>{tool.name}</Code>
                  {tool.confirm === true && (
                    <Text size="xs" c="dimmed">
                      {t('asks you first')}
                    </Text>
                  )}
                </Group>
                <Text size="sm" c="dimmed">
                  {tool.description}
                </Text>
              </li>
            ))}
          </Stack>
        )}
      </section>
      {/* Last, because it grows when the page's rows arrive. */}
      {context.summary !== '' && (
        <section>
          <Title order={3}>{t('What it shows')}</Title>
          <Summary summary={context.summary} />
        </section>
      )}
    </Stack>
  );
}

/** Show a page's summary. Pages publish text or JSON; JSON is pretty-printed. */
function Summary({ summary }: { summary: string }) {
  const json = formatJson(summary);
  if (json === null) return <Text className={classes.summary}>{summary}</Text>;
  return (
    <Code block className={classes.summary}>
      {json}
    </Code>
  );
}

function formatJson(summary: string): string | null {
  if (!summary.startsWith('{') && !summary.startsWith('[')) return null;
  try {
    return JSON.stringify(JSON.parse(summary), null, 2);
  } catch {
    return null;
  }
}
