<?php
$base = getenv('MESSAGING_TOPUP_BASE_URL');
$options = ['http' => [
    'method' => 'POST',
    'header' => ['Authorization: Bearer ' . getenv('MESSAGING_TOPUP_TOKEN'), 'Content-Type: application/json'],
    'content' => json_encode(['recipient' => '+15551234567', 'message' => 'Hello from PHP']),
]];
file_get_contents("$base/sms/send", false, stream_context_create($options));

$found = json_decode(file_get_contents("$base/_sandbox/messages?text=from%20php&wait_seconds=5"));
if ($found->messages[0]->message !== 'Hello from PHP') {
    exit(1);
}
echo "found\n";
