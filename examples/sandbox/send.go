package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	base, token := os.Getenv("MESSAGING_TOPUP_BASE_URL"), os.Getenv("MESSAGING_TOPUP_TOKEN")
	sms := strings.NewReader(`{"recipient":"+15551234567","message":"Hello from Go"}`)
	request, _ := http.NewRequest("POST", base+"/sms/send", sms)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	http.DefaultClient.Do(request)

	found, _ := http.Get(base + "/_sandbox/messages?text=from%20go")
	body, _ := io.ReadAll(found.Body)
	if !strings.Contains(string(body), "Hello from Go") {
		panic("not found")
	}
	fmt.Println("found")
}
