import { type Route, streamRoute } from '../http/route.ts';
import type { HealthServices } from './health-services.ts';
import { renderStatusPage, renderStatusText, STATUS_PAGE_POLICY } from './status-page.ts';

export const status = ({ statusReport }: HealthServices): Route =>
  streamRoute({
    method: 'get',
    path: '/status',
    access: 'anyone',
    isProbe: true,
    summary: 'The state of the service for a person; counts only',
    description: 'A page for who asks for `text/html`, lines of text for everybody else.',
    content: {
      requestHeaders: { Accept: '`text/html` for a page that looks again by itself' },
      answers: [
        {
          status: 200,
          description: 'The state',
          contentTypes: ['text/plain', 'text/html'],
          headers: { Vary: 'The answer depends on Accept' },
        },
      ],
    },
    stream: async (_input, { request, response }) => {
      const report = await statusReport();
      const isPage = request.accepts(['text/plain', 'text/html']) === 'text/html';
      response.status(200).vary('Accept').setHeader('Cache-Control', 'no-store');
      if (!isPage) {
        response.type('text/plain').send(renderStatusText(report));
        return;
      }
      response.setHeader('Content-Security-Policy', STATUS_PAGE_POLICY);
      response.type('text/html').send(renderStatusPage(report));
    },
  });
