set local lock_timeout = '5s';

-- Whom a rule asks: any key or person of the organization that may decide, a person, or a person who is not behind the asking key.
alter table policy_rules add column approver text not null default 'anyone' check (approver in ('anyone', 'person', 'another_person'));

-- The member who decided; decided_by is the key that did.
alter table approvals add column decided_by_member uuid;
