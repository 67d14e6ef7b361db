import { NewScheduleButton } from '../../components/new-schedule-button.js';
import { PageHeader } from '../../components/page-header.js';
import { ScheduleList } from '../../components/schedule-list.js';

export function SchedulesPage() {
  return (
    <>
      <PageHeader title="Schedules">
        <span>Runs that your agents start at set times.</span>
      </PageHeader>
      <ScheduleList firstStep={<NewScheduleButton />} action={<NewScheduleButton />} />
    </>
  );
}
