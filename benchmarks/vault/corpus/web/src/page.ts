import { groupByApiary, summaryLine, type Hive } from "./grouping";
import { lastSeen, watchHiveReadings } from "./readings";

/** Draw the overview: groupByApiary for the boxes, summaryLine for their heads, watchHiveReadings for the rest. */
export function drawOverview(hives: Hive[], locale: string, zone: string): string {
  const boxes = [...groupByApiary(hives)].map(([name, group]) => `<h2>${name}</h2>${summaryLine(group, locale)}`);
  hives.forEach((hive) => watchHiveReadings(hive.id, (found) => console.log(lastSeen(found, zone))));
  return boxes.join("\n");
}
