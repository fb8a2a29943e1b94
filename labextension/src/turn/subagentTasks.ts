import { asText, isObject } from './model';

/** Characters of a task that are shown. */
const SHOWN = 2000;

/** Return the tasks that a call's arguments give to sub-agents, in their order. */
export function tasksOf(json: string): readonly string[] {
  try {
    const given: unknown = JSON.parse(json);
    const tasks = isObject(given) ? given.sub_agents : undefined;
    return Array.isArray(tasks) ? tasks.map(promptOf) : [];
  } catch {
    return [];
  }
}

/** Return what a sub-agent is about: its task, if its name is the beginning of that. */
export function aboutOf(name: string, task: string): string {
  return task.startsWith(name.replace(/\.\.\.$/, '')) ? task : name;
}

function promptOf(task: unknown): string {
  const prompt = isObject(task) ? (asText(task.prompt) ?? '') : '';
  return prompt.length > SHOWN ? `${prompt.slice(0, SHOWN)}…` : prompt;
}
